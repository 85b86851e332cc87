import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const SRC = path.resolve(import.meta.dirname, "..");
/** Of JavaScript and the web platform. */
const BUILT_IN = ["AbortError", "TimeoutError", "SyntaxError", "TypeError", "RangeError"];
/** Packages that write these names as texts. */
const PACKAGES: Readonly<Record<string, readonly [file: string, text: string]>> = {
  UnauthorizedError: ["@modelcontextprotocol/client/dist", 'this.name = "UnauthorizedError"'],
  ProtocolError: ["@modelcontextprotocol/client/dist", 'this.name = "ProtocolError"'],
  ZodError: ["zod/v4/classic", 'core.$constructor("ZodError"'],
};

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(-support)?\.tsx?$|generated/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(SRC, file), "utf8") }));

function findComparedNames(text: string): string[] {
  const compared = [
    ...text.matchAll(/(?:error|thrown|cause|reason)\b[^\n"]{0,60}\.name\s*[!=]==?\s*"(\w+)"/gi),
    ...text.matchAll(/\bname\s*[!=]==?\s*"(\w*(?:Error|Failure|Refusal))"/g),
  ].map(([, name = ""]) => name);
  const listed = [...text.matchAll(/\[((?:"[A-Z]\w+",? ?)+)\]\.includes\([^\n]*\.name\)/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name),
  );
  return [...compared, ...listed];
}

const isLiteral = (name: string): boolean =>
  sources.some(({ text }) => new RegExp(`\\bname(?: =|:) "${name}"`).test(text));

it("error names that code compares are written as texts, since the build shortens the names of classes", () => {
  const compared = sources.flatMap(({ file, text }) => findComparedNames(text).map((name) => ({ file, name })));
  expect(compared.length).toBeGreaterThan(15);
  const derived = compared.filter(({ name }) => {
    if (BUILT_IN.includes(name) || isLiteral(name)) return false;
    const [folder, text] = PACKAGES[name] ?? ["", ""];
    if (folder === "") return true;
    const root = path.resolve(SRC, "../node_modules", folder);
    return !readdirSync(root).some(
      (file) => /\.m?js$/.test(file) && readFileSync(path.join(root, file), "utf8").includes(text),
    );
  });
  expect(derived).toEqual([]);
  const constructors = sources.filter(({ text }) => /constructor\.name|new\.target\.name/.test(text));
  expect(constructors.map(({ file }) => file)).toEqual([]);
});
