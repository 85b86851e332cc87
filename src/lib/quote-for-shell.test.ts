import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { quoteForShell } from "./quote-for-shell";

it("makes one word of bash and sh of any text, however hostile", () => {
  const awkward = fc.constantFrom(
    "'",
    '"',
    "\\",
    "$(id)",
    "`id`",
    "!!",
    "\n",
    "*",
    "~",
    "#",
    "&",
    ";",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as a shell reads it
    "${HOME}",
    "-",
    " ",
  );
  const text = fc.array(fc.oneof(awkward, fc.string({ unit: "grapheme" }))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (texts) => {
      // No text of a command line has a zero byte.
      const words = texts.map((each) => each.replaceAll("\0", ""));
      for (const shell of ["bash", "sh"]) {
        const line = `printf '%s\\0' ${words.map(quoteForShell).join(" ")}`;
        expect(execFileSync(shell, ["-c", line], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(words);
      }
    }),
    { numRuns: 40 },
  );
});
