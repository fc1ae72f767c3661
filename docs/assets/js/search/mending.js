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
 * @param {string} word a stemmed word that begins no word of the vocabulary
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

/**
 * The query with each word that occurs nowhere replaced by the closest that does. Words with an operator are left alone.
 * @param {string} query
 * @param {string[]} vocabulary the stemmed words of the index
 * @param {RegExp} separator what the index splits words at
 * @param {(word: string) => string} stem
 */
function mended(query, vocabulary, separator, stem) {
  if (/["*~^+]/.test(query)) return query;
  const words = query.toLowerCase().split(separator).filter(Boolean);
  return words
    .map((word) => {
      const stemmed = stem(word);
      const known = vocabulary.some((entry) => entry.startsWith(word) || entry === stemmed);
      return known ? word : closest(stemmed, vocabulary);
    })
    .join(" ");
}

Object.assign(self, { mended });
