import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandVariables, isOnlyReferences, referencedVariables } from "./expand-variables";

const ref = (inside: string): string => `\${${inside}}`;

describe("expandVariables", () => {
  const variables = { HOME: "/home/me", EMPTY: "", UNSET: undefined, TRICK: ref("HOME"), "ProgramFiles(x86)": "C:\\P" };
  it.each([
    [`${ref("HOME")}/a`, "/home/me/a"],
    [`${ref("env:HOME")}/a`, "/home/me/a"],
    [`${ref("HOME")}${ref("HOME")}`, "/home/me/home/me"],
    [`[${ref("EMPTY")}]`, "[]"],
    [`${ref("EMPTY:-full")}`, "full"],
    [`${ref("UNSET:-there")}`, "there"],
    [`${ref("NOWHERE:-")}`, ""],
    [`${ref("HOME:-other")}`, "/home/me"],
    [`${ref("NOWHERE:-a:-b$c\nd")}`, "a:-b$c\nd"],
    [`${ref("ProgramFiles(x86)")}`, "C:\\P"],
    [`$HOME costs $5, ${ref("")} and $\{HOME`, `$HOME costs $5, ${ref("")} and $\{HOME`],
    ["", ""],
  ])("turns %j into %j", (text, expected) => {
    expect(expandVariables(text, variables)).toEqual({ text: expected, missing: [] });
  });

  it("names what is unset, each once, and leaves its text", () => {
    const text = `${ref("A")} ${ref("HOME")} ${ref("env:B")} ${ref("A")} ${ref("UNSET")}`;
    expect(expandVariables(text, variables)).toEqual({
      text: `${ref("A")} /home/me ${ref("env:B")} ${ref("A")} ${ref("UNSET")}`,
      missing: ["A", "B", "UNSET"],
    });
  });

  it.each(["input:token", "workspaceFolder", "VAR-default", "a b", "input:x:-y", "command:ext.run"])(
    "reports the form %s, which is no variable here, with its whole name",
    (inside) => {
      expect(expandVariables(`x${ref(inside)}`, variables)).toEqual({ text: `x${ref(inside)}`, missing: [inside] });
    },
  );

  it("expands what a variable holds no second time", () => {
    expect(expandVariables(ref("TRICK"), variables).text).toBe(ref("HOME"));
  });

  it.each(["constructor", "__proto__", "toString"])("takes %s for an unset variable", (name) => {
    expect(expandVariables(ref(name), {}).missing).toEqual([name]);
  });

  it("leaves any text without a reference as it is, and gives any value back unchanged", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (around, value) => {
        fc.pre(!around.includes("$"));
        expect(expandVariables(around, {}).text).toBe(around);
        expect(expandVariables(`${around}${ref("V")}${around}`, { V: value }).text).toBe(`${around}${value}${around}`);
      }),
    );
  });

  it("reads 60,000 unfinished references in one pass", () => {
    const text = "${".repeat(30_000);
    expect(expandVariables(text, {})).toEqual({ text, missing: [] });
  });
});

describe("isOnlyReferences", () => {
  it.each([ref("A"), ref("env:A"), `${ref("A")}${ref("B")}`])("is true of %s", (text) => {
    expect(isOnlyReferences(text)).toBe(true);
  });
  it.each([
    "",
    "sk-1",
    `Bearer ${ref("A")}`,
    `${ref("A")} `,
    ref("A:-s3cret"),
    ref("my s3cret"),
    ref("input:a"),
    "${A",
  ])("is false of %j", (text) => {
    expect(isOnlyReferences(text)).toBe(false);
  });
});

describe("referencedVariables", () => {
  it("names each variable once, in order, those with a default too, other forms not", () => {
    const text = `${ref("B")}-${ref("A:-x")}-${ref("env:C")}-${ref("B")}-${ref("input:d")}`;
    expect(referencedVariables(text)).toEqual(["B", "A", "C"]);
  });
});
