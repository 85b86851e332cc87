import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closeMarkdown, splitMarkdown } from "./markdown-blocks";

describe("splitMarkdown", () => {
  it("cuts after blank lines, never inside a code fence or before an indented line of a list", () => {
    expect(splitMarkdown("a\n\nb")).toEqual(["a\n", "b"]);
    expect(splitMarkdown("```\na\n\nb\n```\n\nc")).toEqual(["```\na\n\nb\n```\n", "c"]);
    expect(splitMarkdown("~~~\n```\n\nb")).toEqual(["~~~\n```\n\nb"]);
    expect(splitMarkdown("- a\n\n  more\n- b")).toEqual(["- a\n\n  more\n- b"]);
  });

  it("loses nothing, and leaves the pieces before the last as they were when text is added", () => {
    const line = fc.constantFrom("", "a", "```", "~~~~", "- b", "  c", "# d");
    fc.assert(
      fc.property(fc.array(line), line, (lines, next) => {
        const before = splitMarkdown(lines.join("\n"));
        expect(before.join("\n")).toBe(lines.join("\n"));
        const after = splitMarkdown([...lines, next].join("\n"));
        expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      }),
    );
  });
});

describe("closeMarkdown", () => {
  it.each([
    ["a **bold", "a **bold**"],
    ["a **bold*", "a **bold**"],
    ["a **", "a "],
    ["`code", "`code`"],
    ["**a `b", "**a `b`**"],
    ["see [the docs](https://exam", "see the docs"],
    ["see [the", "see the"],
    ["* item\n* other", "* item\n* other"],
    ["2 * 3 and \\*", "2 * 3 and \\*"],
    ["**done** and [x](https://y.example)", "**done** and [x](https://y.example)"],
    ["```js\na ** b", "```js\na ** b"],
  ])("shows no Markdown syntax of %j while it is incomplete", (growing, shown) => {
    expect(closeMarkdown(growing)).toBe(shown);
  });
});
