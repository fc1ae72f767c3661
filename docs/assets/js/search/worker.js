// Material's search worker, wrapped: misspelt words are mended before it searches, and each question is a hit of its own
// rather than a line folded into its page. The page names the worker to wrap in this script's address (?of=file.js).

importScripts("mending.js");

/** @typedef {{location: string, title: string, score: number}} Hit */
/** @typedef {{type: number, data?: any}} Message */

// The message types of Material's worker.
const QUERY = 2;
const RESULT = 3;

const worker = /** @type {DedicatedWorkerGlobalScope & {lunr: any, mended: Mender}} */ (/** @type {unknown} */ (self));
/** @typedef {(query: string, vocabulary: string[], separator: RegExp, stem: (word: string) => string) => string} Mender */

/** @type {string[]} */
let vocabulary = [];
let asked = "";

// What is left of a name however it is written: "Type-3", "type 3" and "type_3" are one.
const bare = (/** @type {string} */ text) => text.toLowerCase().replace(/<[^>]*>|[^\p{L}\p{N}]/gu, "");

// A title that holds all of what was asked for, in a row, weighs so many times what its words alone would.
const NAMED = 4;

const post = worker.postMessage.bind(worker);
worker.postMessage = (/** @type {Message} */ message) => {
  if (message.type === RESULT) message.data.items = apart(message.data.items);
  post(message);
};

/**
 * The hits of all pages, best first, each in a group of its own. Material shows the text of a hit only where its address
 * has no fragment, so that stands behind a `?to=` until the page puts it right (ui/search.js).
 * @param {Hit[][]} groups
 */
function apart(groups) {
  const weight = (/** @type {Hit} */ { title, score }) => (bare(title).includes(asked) ? NAMED * score : score);
  const hits = groups.flat().filter((hit) => hit.score > 0);
  return hits
    .sort((a, b) => weight(b) - weight(a))
    .map((hit) => [{ ...hit, location: hit.location.replace("#", "?to=") }]);
}

// Registered before Material's own listener, so that a query can be mended on its way there.
let passing = false;
worker.addEventListener("message", (event) => {
  if (passing || event.data.type !== QUERY) return;
  event.stopImmediatePropagation();
  const { lunr } = worker;
  asked = bare(event.data.data);
  const stem = (/** @type {string} */ word) => lunr.stemmer(new lunr.Token(word, {})).toString();
  const data = worker.mended(event.data.data, vocabulary, lunr.tokenizer.separator, stem);
  passing = true;
  worker.dispatchEvent(new MessageEvent("message", { data: { type: QUERY, data } }));
  passing = false;
});

importScripts(`../../javascripts/workers/${new URL(worker.location.href).searchParams.get("of")}`);

const build = worker.lunr.Builder.prototype.build;
worker.lunr.Builder.prototype.build = function () {
  const index = build.call(this);
  vocabulary = Object.keys(this.invertedIndex);
  return index;
};
