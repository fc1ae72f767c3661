// Sets formulas: one JSON request a line in, one JSON answer a line out.
//   {"key", "tex", "display"}  ->  {"key", "html"} or {"key", "error"}
// The last line is {"rules": [[selector, body], ...]}: the style that the formulas of this run need. MathJax writes
// only the rules of the glyphs that it has set, so whoever keeps formulas has to keep the rules with them.

import MathJax from "mathjax";
import { createInterface } from "node:readline";

// A component that is a patch release behind says so on every run; nothing here depends on it.
console.warn = () => {};

await MathJax.init({
  loader: { load: ["input/tex", "output/chtml", "a11y/assistive-mml", "adaptors/liteDOM"] },
  output: { font: "mathjax-stix2" },
  tex: {
    // An unknown macro must be an error, not red text; and no formula may change what a later one means.
    packages: { "[-]": ["noerrors", "noundefined", "newcommand", "require"] },
    // What would bring definitions back, or write attributes of its own into the page.
    autoload: { newcommand: [], begingroup: [], html: [] },
    formatError: (_, error) => {
      throw error;
    },
  },
  chtml: { fontURL: "." },
  startup: { typeset: false },
});

const adaptor = MathJax.startup.adaptor;

// MathJax writes the rules of an element when it first meets it. Meeting all of them in one order first makes the style
// sheet of a site the same, whichever formulas were set in which run.
await MathJax.tex2chtmlPromise(
  String.raw`\begin{aligned}\frac{a}{b}&\sqrt{x}\sqrt[3]{x}\smash{x}\\[2pt]\sum_{i}^{n}x_a^bx_ax^b&\text{t}\end{aligned}\hat{x}\overbrace{x}^{y}` +
    String.raw`\left(\begin{smallmatrix}a\end{smallmatrix}\right)\lim_{x}\phantom{x}\,\sideset{_a^b}{}\sum\mathbf{x}\boxed{x}\tag{1}`,
  { display: true },
);

// What only serves MathJax's own menu and explorer.
const UNUSED = / (?:data-latex|data-mjx-[a-z]+|xmlns|unselectable|overflow)="[^"]*"| style="position: relative;"/g;

// A formula of fewer glyphs goes to the next line in one piece: "N ≥ 2" torn in two is hard to read.
const WHOLE = 16;
const whole = (html) => (html.match(/<mjx-c /g)?.length < WHOLE ? html.replace(' breakable="true"', "") : html);

async function set({ key, tex, display }) {
  // TeX would drop the rest of the line without a word.
  if (/(?<!\\)(?:\\\\)*%/.test(tex)) return { key, error: "% begins a comment: write \\%" };
  try {
    MathJax.texReset();
    const html = adaptor.outerHTML(await MathJax.tex2chtmlPromise(tex, { display }));
    const foreign = html.match(/<mjx-utext[^>]*>([^<]*)/);
    if (foreign) return { key, error: `the maths font has no glyph for ${foreign[1]}` };
    if (html.includes("<a ")) return { key, error: "a formula can't refer to another" };
    if (html.includes("data-mjx-error")) return { key, error: html.match(/data-mjx-error="([^"]*)/)[1] };
    return { key, html: whole(html.replace(UNUSED, "")) };
  } catch (error) {
    return { key, error: error.message };
  }
}

function rules() {
  const css = adaptor.cssText(MathJax.chtmlStylesheet()).replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "");
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector, body]) => {
    const family = selector.includes("@font-face") ? ` ${body.match(/font-family:\s*"?([\w-]+)/)[1]}` : "";
    return [selector.trim() + family, body.replace(/\s+/g, " ").trim()];
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await set(JSON.parse(line))) + "\n");
}
process.stdout.write(JSON.stringify({ rules: rules() }) + "\n");
