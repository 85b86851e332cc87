import { describe, expect, it } from "vitest";
import { findFragmentId, LineSplitter } from "../../../platform/shared/line-splitter.mjs";
import { findIds, isLooseMessage, messageAtEnd, recoverMessages } from "./json-rpc";

describe("recoverMessages", () => {
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"a":"}{"}}';

  it.each([
    [`debug: x ${answer}`, 1, "debug: x "],
    [`${answer} tail`, 1, " tail"],
    [`{"level":"info"}${answer}{oops ${answer}`, 2, '{"level":"info"}{oops '],
    ["no message {at all}", 0, "no message {at all}"],
    ['{"jsonrpc":"2.0","id":1,"result":{', 0, '{"jsonrpc":"2.0","id":1,"result":{'],
  ])("finds the messages in %s", (line, count, noise) => {
    const found = recoverMessages(line);
    expect(found.messages).toHaveLength(count);
    expect(found.messages.every(({ message }) => isLooseMessage(message))).toBe(true);
    expect(found.noise).toBe(noise);
  });

  it("does not take long over a hostile line", () => {
    expect(recoverMessages("{".repeat(900_000)).messages).toEqual([]);
    expect(recoverMessages(`${"{".repeat(2_000_000)}${answer}`).messages).toHaveLength(1);
  });

  it.each(['{"jsonrpc"', '{"jsonrpc":{"a":"b"},', '{"jsonrpc":"2.0","id":1,"result":{"', '"jsonrpc"{"'])(
    "reads 20 MB of %s only a few times over, and finds the answer behind it",
    (printed) => {
      const line = printed.repeat(Math.ceil(20_000_000 / printed.length));
      const onePassMs = measureMs(() => countBraces(line));
      // A scan to the end from each of the first fifty braces would take fifty passes.
      expect(measureMs(() => recoverMessages(line))).toBeLessThan(20 * onePassMs);
      const { messages, noise } = recoverMessages(`${line}\n${answer}`.replace("\n", " "));
      expect(messages.map(({ text }) => text)).toEqual([answer]);
      expect(noise.length).toBe(line.length + 1);
    },
  );
});

function measureMs(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function countBraces(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) === 123) count += 1;
  return count;
}

it("messageAtEnd takes a message behind a flood, and none that is part of a larger one", () => {
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"a":"}{"}}';
  expect(messageAtEnd(`xxx{x${answer}\r`)).toMatchObject({ message: { id: 1 }, text: answer });
  expect(messageAtEnd(`xxx","b":${answer}}}`)).toBeNull();
  expect(messageAtEnd('"x"}]},"jsonrpc":"2.0","id":8}')).toBeNull();
});

describe("ids of broken messages", () => {
  it.each([
    [{ head: '{"jsonrpc":"2.0","id":7,"result":{"id":1' }, 7],
    [{ tail: '"x"}]},"jsonrpc":"2.0","id":8}' }, 8],
    [{ tail: '"x"}]},"id":9,"jsonrpc":"2.0"}' }, 9],
    [{ head: '{"result":{"id":3,' }, null],
    [{ tail: '{"id":4,"name":"x"}' }, null],
  ])("reads %o as %s", (fragment, id) => {
    expect(findFragmentId(fragment)).toBe(id);
  });

  it("names every id in a line", () => {
    expect(findIds('{"id":3,"result":[{"id": 12')).toEqual([3, 12]);
    expect(findIds(`{"id":3,${"x".repeat(500_000)}"id":4,${"x".repeat(500_000)}"id":5}`)).toEqual([3, 5]);
  });
});

describe("isLooseMessage", () => {
  it.each([
    null,
    1,
    "x",
    [],
    {},
    { jsonrpc: "2.0" },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "1.0", method: "x" },
    { jsonrpc: "2.0", id: {}, method: "x" },
  ])("refuses %o", (value) => {
    expect(isLooseMessage(value)).toBe(false);
  });
});

describe("LineSplitter", () => {
  function split(maxBytes: number, chunks: string[]) {
    const events: unknown[] = [];
    const splitter = new LineSplitter(maxBytes, {
      line: (text) => events.push(text),
      oversized: (head) => events.push({ head }),
      oversizedEnd: (ends) => events.push(ends),
    });
    for (const chunk of chunks) splitter.push(Buffer.from(chunk));
    splitter.flush();
    return events;
  }

  it("puts lines together again however they were cut, and keeps the last one", () => {
    expect(split(100, ["a\nb", "b\r\nc", "", "c\n\nlast"])).toEqual(["a", "bb", "cc", "", "last"]);
  });

  it("does not break a character that is cut between chunks", () => {
    const bytes = Buffer.from("grüße\n");
    const events: string[] = [];
    const splitter = new LineSplitter(100, {
      line: (text) => events.push(text),
      oversizedEnd: () => undefined,
    });
    for (const byte of bytes) splitter.push(Buffer.from([byte]));
    expect(events).toEqual(["grüße"]);
  });

  it("throws away the rest of a line that is too long, and tells of both its ends", () => {
    const long = "0123456789".repeat(3);
    expect(split(12, ["ok\n", long.slice(0, 15), long.slice(15), "\nnext\n"])).toEqual([
      "ok",
      { head: "012345678901234" },
      { head: "012345678901234", tail: long, bytes: 30 },
      "next",
    ]);
  });
});
