import { expect, it } from "vitest";
import { toUsualText, toUsualTextInSlices } from "./usual-text";

const PIECES = [
  "\\u00e9",
  "\\u0022",
  "\\u005c",
  "\\\\",
  "\\\\u0041",
  "\\/",
  "\\n",
  "\\u0007",
  "\\ud83d\\ude00",
  "\\ud83d",
  "x",
  '\\"',
];

/** A text of so many pieces, the same in each run. */
function createText(count: number): string {
  let state = 7;
  const pieces = Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return PIECES[(state >> 8) % PIECES.length] ?? "";
  });
  return `{\n "a": "${pieces.join("")}",\r\n "b": 1.0 }`;
}

it("EXE-06 a text in one line with plain letters has the value and the numbers of the original, in slices too", async () => {
  for (const count of [0, 1, 20, 500, 60_000]) {
    const text = createText(count);
    const usual = toUsualText(text);
    expect(JSON.parse(usual)).toEqual(JSON.parse(text));
    expect(usual).toMatch(/"b": 1\.0 \}$/);
    expect(usual).not.toMatch(/[\r\n]|\\u00e9|\\ud83d\\ude00/);
    expect(await toUsualTextInSlices(text)).toBe(usual);
  }
});
