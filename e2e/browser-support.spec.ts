import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { BrowserFeatures, readVersions } from "./support/browser-features";
import { expect, test } from "./support/fixtures";

const ROOT = path.resolve(import.meta.dirname, "..");
const STATIC = path.join(ROOT, ".next", "static");

/** What the built files use although a supported browser lacks it, and why it does no harm there. */
const KNOWN: Record<string, string> = {
  ".getComposedRanges()": "CodeMirror calls it where it exists",
  ".startViewTransition()": "React calls it for view transitions, which no page has",
  ":open": "Tailwind names it in a list of selectors that may hold unknown ones",
  "accent-color": "checkboxes have the browser's own colour",
  "Error.captureStackTrace": "libraries call it where it exists",
  "field-sizing": "use-fitted-height.ts sets the height",
  "field-sizing: content": "as above",
  "font-family: ui-monospace": "the list names other fonts after it",
  "navigator.connection": "React reads it where it exists",
  "navigator.scheduling": "CodeMirror reads it where it exists",
  "RegExp.escape": "core-js in mathjs, which uses it where it exists",
  "Symbol.asyncDispose": "tRPC defines it where it is missing",
  "Symbol.dispose": "tRPC defines it where it is missing",
  "text-decoration: dotted": "MDN means the whole value; the style of the line alone is everywhere",
  "text-size-adjust": "phones do not enlarge the text there",
  "user-select": "the build adds the prefix that Safari reads",
  "window.navigation": "Next reads it where it exists",
};
/** New methods whose names libraries and the console have for their own. */
const OWN_METHODS = ["error", "external", "move", "restore", "take", "toArray", "try", "use", "when"];

test("REG-05 the built scripts and styles use nothing that a browser of package.json's list lacks", () => {
  const { browserslist } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    browserslist: string[];
  };
  const features = new BrowserFeatures(readVersions(browserslist));
  // Each proves that the search finds such things.
  expect(features.listInScript("Iterator.from([]).take(1); new Temporal.Now()")).toContain("Iterator.from");
  expect(
    features.listInStyles("p { field-sizing: content } @supports (zoom: 1) { p { field-sizing: content } }"),
  ).toContain("field-sizing");
  const files = readdirSync(STATIC, { recursive: true, encoding: "utf8" }).filter((file) => /\.(?:js|css)$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(STATIC, file), "utf8");
    const used = file.endsWith(".css") ? features.listInStyles(text) : features.listInScript(text);
    return used.map((name) => ({ name, file }));
  });
  const isKnown = (name: string): boolean => name in KNOWN || OWN_METHODS.some((method) => name === `.${method}()`);
  expect(found.filter(({ name }) => !isKnown(name))).toEqual([]);
  const unused = Object.keys(KNOWN).filter((name) => !found.some((each) => each.name === name));
  expect(unused, "no longer used").toEqual([]);
});
