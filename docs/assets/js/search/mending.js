// Mends the words of a query that occur nowhere: each becomes the closest word that does.

/**
 * How many letters must be put in, left out, changed or swapped with their neighbour to turn one word into another
 * (optimal string alignment), or `limit + 1` where it is more than `limit`.
 * @param {string} a
 * @param {string} b
 * @param {number} limit
 */
function distance(a, b, limit) {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before = /** @type {number[]} */ ([]);
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > limit) return limit + 1;
    [before, last] = [last, row];
  }
  return last[b.length];
}

/**
 * The word of the vocabulary that a misspelt one most likely stands for, or the word itself.
 * @param {string} word a word that begins no word of the vocabulary
 * @param {string[]} vocabulary
 */
function closest(word, vocabulary) {
  const limit = word.length < 4 ? 0 : word.length < 7 ? 1 : 2;
  let best = word;
  let least = limit + 1;
  for (const known of vocabulary) {
    const steps = distance(word, known, Math.min(limit, least - 1));
    // Among equals, the one that begins alike: people seldom mistype the first letter.
    if (steps < least || (steps === least && steps <= limit && known[0] === word[0] && best[0] !== word[0])) {
      [best, least] = [known, steps];
    }
  }
  return best;
}

// Words that say nothing of what is looked for. `all`, `no` and `first` are not among them: names are made of those.
const EMPTY = new Set(
  ("a an and are as at be by can do does for from how i if in into is it its many of on or so than that the their then " +
    "there these this to use using vs was what when where which why will with you your").split(" "),
);

/**
 * The query as the index can answer it: words that say nothing are left out, an ending that occurs nowhere is cut off, and
 * a word that occurs nowhere becomes the closest that does. Queries with an operator are left alone.
 * @param {string} query
 * @param {string[]} vocabulary the words of the index
 * @param {RegExp} separator what the index splits words at
 * @param {(word: string) => string} stem
 */
function mended(query, vocabulary, separator, stem) {
  if (/["*~^+]/.test(query)) return query;
  const words = query.toLowerCase().replaceAll("'", "’").split(separator).filter(Boolean);
  const telling = words.filter((word) => !EMPTY.has(word));
  const begins = (/** @type {string} */ word) => vocabulary.some((entry) => entry.startsWith(word));
  return (telling.length ? telling : words)
    .map((word) => [word, stem(word)].find(begins) ?? closest(word, vocabulary))
    .join(" ");
}

Object.assign(self, { mended });
