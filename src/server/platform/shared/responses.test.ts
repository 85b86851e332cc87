import { expect, it } from "vitest";
import { toTextStream } from "./responses";

it("a text is read only as fast as its client does, and ends when the client leaves", async () => {
  const read: number[] = [];
  let ended = false;
  let left = 0;
  async function* pieces(): AsyncGenerator<string> {
    try {
      for (let piece = 0; ; piece += 1) {
        read.push(piece);
        yield `${piece};`;
      }
    } finally {
      ended = true;
    }
  }
  const reader = toTextStream(pieces(), () => {
    left += 1;
  }).getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe("0;");
  expect(read.length).toBeLessThanOrEqual(2);
  await reader.cancel();
  expect([ended, left]).toEqual([true, 1]);
});
