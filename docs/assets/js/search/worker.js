// Material's search worker, wrapped: misspelt words are mended before it searches, and each question is a hit of its own
// rather than a line folded into its page. The page names the worker to wrap in this script's address (?of=file.js).

importScripts("mending.js");

/** @typedef {{location: string, title: string, score: number}} Hit */
/** @typedef {{location: string, aliases?: string}} Entry */
/** @typedef {{type: number, data?: any}} Message */

// The message types of Material's worker.
const SETUP = 0;
const QUERY = 2;
const RESULT = 3;

const worker = /** @type {DedicatedWorkerGlobalScope & {lunr: any, mended: Mender}} */ (/** @type {unknown} */ (self));
/** @typedef {(query: string, vocabulary: string[], separator: RegExp, stem: (word: string) => string) => string} Mender */

/** @type {string[]} */
let vocabulary = [];
let asked = "";
/** @type {Map<string, Set<string>[]>} of each entry, the names of its concepts, the main one first */
let names = new Map();

// What is left of a name however it is written: "Type-3", "type 3" and "type_3" are one.
const bare = (/** @type {string} */ text) => text.toLowerCase().replace(/<[^>]*>|[^\p{L}\p{N}]/gu, "");

/**
 * What was asked for by its name weighs up to four times what its words alone would: all of that in a title or as the
 * main concept, less as the second, and so on.
 * @param {Hit} hit
 */
function weight({ location, title, score }) {
  const concepts = names.get(location) ?? [];
  const place = bare(title).includes(asked) ? 0 : concepts.findIndex((concept) => concept.has(asked));
  return place < 0 ? score : score * (1 + 3 / (1 + place));
}

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
  const hits = groups.flat().filter((hit) => hit.score > 0);
  return hits
    .map((hit) => ({ hit, weight: weight(hit) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ hit }) => [{ ...hit, location: hit.location.replace("#", "?to=") }]);
}

/** @param {Entry[]} entries */
function namesOf(entries) {
  const sets = (/** @type {string} */ aliases) => aliases.split(" | ").map((all) => new Set(all.split(" ; ").map(bare)));
  return new Map(entries.map(({ location, aliases = "" }) => [location, sets(aliases)]));
}

// Registered before Material's own listener, so that a query can be mended on its way there.
let passing = false;
worker.addEventListener("message", (event) => {
  if (event.data.type === SETUP) names = namesOf(event.data.data.docs);
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
