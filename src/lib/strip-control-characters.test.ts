import { expect, it } from "vitest";
import { stripControlCharacters } from "./strip-control-characters";

it.each([
  ["colors", "\u001b[31;1mred\u001b[0m and \u001b[38;5;196mbright\u001b[m", "red and bright"],
  ["cursor moves", "\u001b[2K\u001b[1G50%\u001b[?25l", "50%"],
  ["8-bit sequences", "\u009b31mred\u009b0m", "red"],
  ["titles and links", "\u001b]0;title\u0007a\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\", "alink"],
  ["character sets", "\u001b(Bplain\u001b=\u001b>", "plain"],
  ["device strings", "a\u001bP1$r0m\u001b\\b", "ab"],
  ["control characters", "a\u0000b\u0007c\u0008d\u007fe\u0085f", "abcdef"],
  ["tabs and line breaks, which stay", "a\tb\nc\r\nd\r\r\ne", "a\tb\nc\nd\ne"],
  ["carriage returns", "10%\r20%\r30%", "10%\n20%\n30%"],
  ["an unfinished sequence", "red\u001b[31", "red[31"],
  ["ordinary text", "naïve – 東京 🙂 [31m", "naïve – 東京 🙂 [31m"],
])("ERR-03 takes %s out of a text", (_what, text, plain) => {
  expect(stripControlCharacters(text)).toBe(plain);
});

it("ERR-03 takes time in proportion to the text, whatever it holds", () => {
  for (const part of ["\u001b]", "\u001b[", "\u009b1", "\u001bP", "\r"]) {
    expect(stripControlCharacters(part.repeat(200_000)).length).toBeLessThan(400_001);
  }
});
