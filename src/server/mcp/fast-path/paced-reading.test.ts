import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readPaced } from "./paced-reading";

it("gives everything else a turn between chunks that are slow to read, and loses none of them", async () => {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  let turns = 0;
  let counting = true;
  const count = () => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  const turnsAtChunk: number[] = [];
  const texts: string[] = [];
  for (let index = 0; index < 10; index += 1) stream.write(`${index};`);
  stream.end();
  const ended = new Promise((resolve) => stream.once("end", resolve));
  setImmediate(count);
  readPaced(stream, (chunk) => {
    const until = performance.now() + 25;
    while (performance.now() < until);
    texts.push(chunk.toString());
    turnsAtChunk.push(turns);
    return null;
  });
  await ended;
  counting = false;
  expect(texts.join("")).toBe("0;1;2;3;4;5;6;7;8;9;");
  expect(new Set(turnsAtChunk).size).toBe(turnsAtChunk.length);
});

it("reads no further chunk while one is processed", async () => {
  const stream = new PassThrough();
  const texts: string[] = [];
  let active = 0;
  let most = 0;
  for (let index = 0; index < 5; index += 1) stream.write(`${index};`);
  stream.end();
  readPaced(stream, async (chunk) => {
    active += 1;
    most = Math.max(most, active);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    texts.push(chunk.toString());
    active -= 1;
  });
  await new Promise((resolve) => stream.once("end", resolve));
  await expect.poll(() => texts.join("")).toBe("0;1;2;3;4;");
  expect(most).toBe(1);
});
