import { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { findFragmentId, isAnswer, type OversizedLine } from "../../../platform/shared/line-splitter.mjs";
import { createLineLimit } from "./stdio-lines.mjs";

async function passThrough(chunks: readonly string[], maxBytes: number) {
  const dropped: OversizedLine[] = [];
  const limit = createLineLimit(maxBytes, (line) => dropped.push(line));
  const passed = await readText(Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(limit));
  return { passed, dropped };
}

describe("the limit of a line on stdin", () => {
  it("passes on lines up to the limit as they are, however they are cut into chunks", async () => {
    const lines = "one\n\ntwo ☃ three\nlast without an end";
    const bytes = [...Buffer.from(lines)].map((byte) => Buffer.from([byte]));
    const passed = await readText(Readable.from(bytes).pipe(createLineLimit(100, () => {})));
    expect(passed).toBe(lines);
    expect((await passThrough(["12345678\n", "1234567", "8\n"], 8)).passed).toBe("12345678\n12345678\n");
  });

  it("passes on each line in one chunk", async () => {
    const chunks: string[] = [];
    const limit = createLineLimit(100, () => {}).on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
    for (const part of ["on", "e\ntwo\nth", "ree\n"]) limit.write(part);
    expect(chunks).toEqual(["one\n", "two\n", "three\n"]);
  });

  it("drops a longer line, keeps its beginning and its end, and passes on what follows", async () => {
    const long = `{"id":1,${"x".repeat(9000)},"end":2}`;
    for (const chunks of [[`a\n${long}\nb\n`], ["a\n", long.slice(0, 3000), long.slice(3000), "\nb\n"]]) {
      const { passed, dropped } = await passThrough(chunks, 100);
      expect(passed).toBe("a\nb\n");
      expect(dropped).toMatchObject([{ tail: long.slice(-4096), bytes: long.length }]);
      expect(long.startsWith(dropped[0]?.head ?? "none")).toBe(true);
    }
    const unended = await passThrough([long], 100);
    expect([unended.passed, unended.dropped.length]).toEqual(["", 1]);
  });
});

describe("what a dropped line was", () => {
  const read = (line: string) => {
    const ends = { head: line.slice(0, 60), tail: line.slice(-60) };
    return { id: findFragmentId(ends), isAnswer: isAnswer(ends.head) };
  };
  const padding = "x".repeat(200);

  it.each([
    [`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"${padding}"}`, 7, false],
    [`{"method":"tools/call","params":"${padding}","jsonrpc":"2.0","id":8}\n`, 8, false],
    [`{ "jsonrpc": "2.0", "id": "a \\" b", "method": "x", "params": "${padding}" }`, 'a " b', false],
    [`{"method":"x","params":{"deep":"${padding}","id":9}}`, null, false],
    [`{"method":"x","params":"${padding}"}`, null, false],
    [`{"jsonrpc":"2.0","id":3,"result":{"text":"${padding}"}}`, 3, true],
    [`{"result":{"text":"${padding}"},"jsonrpc":"2.0","id":4}`, 4, true],
    [`no JSON ${padding}`, null, false],
  ])("%#: its id is known only where it is surely the message's own", (line, id, answers) => {
    expect(read(line)).toEqual({ id, isAnswer: answers });
  });
});
