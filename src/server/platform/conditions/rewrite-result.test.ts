import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { RESULT_PRESETS } from "../../../lib/contract/call-rule-words";
import type { Redaction, ResultSearch } from "../../engine/rules/rule-ports";
import { BoundedRedactor } from "./result-redactor";

const redactor = new BoundedRedactor({ home: process.cwd(), limitMs: 5_000 });
afterAll(() => redactor.close());

const NOTHING: ResultSearch = { paths: [], presets: [], patterns: [] };
const MARK = "[redacted by rule R]";

async function redact(search: Partial<ResultSearch>, result: unknown, more: object = {}): Promise<unknown> {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const done = await redactor.redact(
    { ...NOTHING, ...search },
    { text, marker: MARK, fromServer: true, keepTypes: false, ...more },
  );
  if ("failed" in done) throw new Error(done.failed);
  return JSON.parse(done.text);
}

describe("redaction by kinds of text", () => {
  it.each([
    ["email", "write to ada@example.com, please", `write to ${MARK}, please`],
    ["email", "ünï.cöde+x@sub.exämple.org!", `${MARK}!`],
    ["email", "no @ here, @handle and a@b", "no @ here, @handle and a@b"],
    ["card", "card 4111 1111 1111 1111 exp 12/30", `card ${MARK} exp 12/30`],
    ["card", "4111111111111111 123", `${MARK} 123`],
    ["card", "id 4111111111111112 and 1767100000000", "id 4111111111111112 and 1767100000000"],
    ["iban", "to DE89 3704 0044 0532 0130 00 today", `to ${MARK} today`],
    ["iban", "to DE89370400440532013000.", `to ${MARK}.`],
    ["iban", "to DE88370400440532013000.", "to DE88370400440532013000."],
    ["api_key", "key sk-abcdefghijklmnopqrst and AKIAIOSFODNN7EXAMPLE", `key ${MARK} and ${MARK}`],
    ["api_key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest", `${MARK}\nrest`],
  ] as const)("finds %s in %j", async (preset, text, expected) => {
    expect(await redact({ presets: [preset] }, { content: [{ type: "text", text }] })).toEqual({
      content: [{ type: "text", text: expected }],
    });
  });

  it("finds a card that is a number, and texts whose letters are escaped", async () => {
    const result = String.raw`{"content":[{"type":"text","text":"{\"mail\":\"ada\\u0040example.com\"}"}],"structuredContent":{"card":4111111111111111,"n":1.50}}`;
    const done = await redactor.redact(
      { ...NOTHING, presets: ["email", "card"] },
      { text: result, marker: MARK, fromServer: true, keepTypes: false },
    );
    expect(done).toEqual({
      count: 2,
      text: `{"content":[{"type":"text","text":${JSON.stringify(`{"mail":"${MARK}"}`)}}],"structuredContent":{"card":"${MARK}","n":1.50}}`,
    });
  });
});

describe("redaction by paths", () => {
  const items = [
    { email: "ada@example.com", name: "Ada", age: 41 },
    { email: null, name: "Bob", tags: ["x"] },
  ];

  it("leads into structured content, into texts that are JSON, and takes its values from other texts", async () => {
    const result = {
      content: [
        { type: "text", text: JSON.stringify({ items }) },
        { type: "text", text: "Ada: ada@example.com" },
        { type: "resource", resource: { uri: "a:b", text: "see ada@example.com" } },
      ],
      structuredContent: { items },
    };
    const kept = [
      { email: MARK, name: "Ada", age: 41 },
      { email: null, name: "Bob", tags: ["x"] },
    ];
    expect(await redact({ paths: ["result.items[*].email"] }, result)).toEqual({
      content: [
        { type: "text", text: JSON.stringify({ items: kept }) },
        { type: "text", text: `Ada: ${MARK}` },
        { type: "resource", resource: { uri: "a:b", text: `see ${MARK}` } },
      ],
      structuredContent: { items: kept },
    });
  });

  it("takes its values from a text that is JSON of another shape", async () => {
    const result = {
      content: [{ type: "text", text: '{"mail":"ada@example.com","all":["to ada@example.com"],"pin":73914,"n":1}' }],
      structuredContent: { a: { mail: "ada@example.com", pin: 73914 } },
    };
    expect(await redact({ paths: ["result.a"] }, result)).toEqual({
      content: [{ type: "text", text: JSON.stringify({ mail: MARK, all: [`to ${MARK}`], pin: MARK, n: 1 }) }],
      structuredContent: { a: { mail: MARK, pin: MARK } },
    });
  });

  it("takes every value below the path, and keeps numbers as numbers where the content has a schema", async () => {
    const result = { content: [], structuredContent: { a: { n: 12, b: true, s: "x", l: [1] }, "odd key": ["y", "z"] } };
    const paths = ["result.a", 'result["odd key"][1]'];
    expect(await redact({ paths }, result, { keepTypes: true })).toEqual({
      content: [],
      structuredContent: { a: { n: 0, b: false, s: MARK, l: [0] }, "odd key": ["y", MARK] },
    });
    expect(await redact({ paths }, result)).toMatchObject({
      structuredContent: { a: { n: MARK, b: MARK, l: [MARK] } },
    });
  });

  it("leads into the value of a tool that is not of a server, also where it is JSON in a string", async () => {
    expect(await redact({ paths: ["result.a"] }, { a: "x", b: "y" }, { fromServer: false })).toEqual({
      a: MARK,
      b: "y",
    });
    expect(await redact({ paths: ["result.a"] }, JSON.stringify('{"a":"x"}'), { fromServer: false })).toBe(
      `{"a":"${MARK}"}`,
    );
  });
});

describe("redaction by patterns", () => {
  it("searches names and values, and leaves media, types and the digits of numbers as they are", async () => {
    const text = String.raw`{"content":[{"type":"text","text":"INV-1"},{"type":"image","mimeType":"image/INV-2","data":"INV-3"}],"structuredContent":{"INV-4":90546868194910293951}}`;
    const done = (await redactor.redact(
      { ...NOTHING, patterns: ["INV-[0-9]"] },
      { text, marker: "#", fromServer: true, keepTypes: false },
    )) as Extract<Redaction, { text: string }>;
    expect(done).toEqual({ count: 2, text: text.replace("INV-1", "#").replace("INV-4", "#") });
  });

  it("searches what stands in the place of media and is none", async () => {
    const result = { content: [{ type: "resource", resource: { blob: { a: "INV-1" }, text: { b: "INV-1" } } }] };
    expect(await redact({ patterns: ["INV-1"] }, result)).toEqual({
      content: [{ type: "resource", resource: { blob: { a: MARK }, text: { b: MARK } } }],
    });
  });

  it("refuses patterns that are invalid, too large or find the empty text", () => {
    expect(redactor.checkPattern("INV-[0-9]+")).toBeNull();
    expect(redactor.checkPattern("(")).toContain("missing");
    expect(redactor.checkPattern("(a{400}){400}")).toBe("The pattern repeats too much");
    expect(redactor.checkPattern("a*")).toContain("must match at least one character");
  });
});

describe("hostile results", () => {
  it("leaves what takes long to a thread, which answers the same", async () => {
    const text = `${"lorem ipsum ".repeat(100_000)}ada@example.com`;
    const found = redactor.redact(
      { ...NOTHING, presets: ["email"], patterns: ["(a|e)psum[^x]*z"] },
      { text: JSON.stringify({ content: [{ type: "text", text }] }), marker: MARK, fromServer: true, keepTypes: false },
    );
    expect(found).toBeInstanceOf(Promise);
    expect(await found).toMatchObject({ count: 1 });
  });

  it("gives up where a thread takes too long, and for a result that is too large", async () => {
    const hasty = new BoundedRedactor({ home: process.cwd(), limitMs: 200 });
    const text = JSON.stringify("a".repeat(1_000_000));
    const input = { text, marker: MARK, fromServer: false, keepTypes: false };
    expect(await hasty.redact({ ...NOTHING, patterns: ["(a.*b|a)"] }, input)).toEqual({
      failed: "the search takes too long",
    });
    expect(await hasty.redact({ ...NOTHING, presets: ["email"] }, { ...input, text: "x".repeat(100_000_000) })).toEqual(
      {
        failed: "it has more than 8,000,000 characters",
      },
    );
    await hasty.close();
  });

  it("walks deep JSON, also within a text, without recursion", async () => {
    const deep = `${"[".repeat(50_000)}"ada@example.com"${"]".repeat(50_000)}`;
    const text = `{"content":[{"type":"text","text":${JSON.stringify(deep)}}],"structuredContent":{"a":${deep}}}`;
    const done = await redactor.redact(
      { ...NOTHING, presets: ["email"], paths: ["result.a"] },
      { text, marker: MARK, fromServer: true, keepTypes: false },
    );
    expect(done).toMatchObject({ count: 2 });
  });
});

/** Parts of what presets find, and what only looks like it. */
const piece = fc.constantFrom(
  "ada@example.com",
  "@",
  "a@b",
  "4111 1111-1111 1111",
  "4111111111111112",
  "DE89 3704 0044 0532 0130 00",
  "DE89",
  "nDE89370400440532013000",
  "sk-abcdefghijklmnopqrst",
  "AKIAIOSFODNN7EXAMPLE",
  "eyJ",
  "-----BEGIN X",
  "-----BEGIN PRIVATE KEY-----",
  "ghp_abcdefghijklmnopqrstu",
  "\n",
  "\\",
  '"',
  " ",
  "/",
  "ä",
  "x1",
  "41",
);
const textOfPieces = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
const resultOfPieces = fc.record({
  content: fc.array(
    fc.oneof(
      textOfPieces.map((text) => ({ type: "text", text })),
      fc
        .dictionary(textOfPieces, textOfPieces, { maxKeys: 3 })
        .map((data) => ({ type: "text", text: JSON.stringify(data) })),
    ),
    { maxLength: 3 },
  ),
  structuredContent: fc.dictionary(fc.constantFrom("a", "b", "secret"), fc.oneof(textOfPieces, fc.integer())),
});

/** The same JSON with all letters of its strings escaped, so that nothing in the text tells what it holds. */
const escapeAll = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"/gs, (raw) => {
    const letters = Array.from({ length: (JSON.parse(raw) as string).length }, (_, at) =>
      (JSON.parse(raw) as string).charCodeAt(at),
    );
    return `"${letters.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("")}"`;
  });

it("what a text cannot hold is not looked for, and nothing is missed by that: the same JSON with escaped letters has the same finds", async () => {
  const seen = { found: 0, nothing: 0 };
  const presets = fc.subarray([...RESULT_PRESETS], { minLength: 1 });
  const paths = fc.subarray(["result.secret", "result.a"]);
  await fc.assert(
    fc.asyncProperty(resultOfPieces, presets, paths, async (result, chosen, taken) => {
      const search = { presets: chosen, paths: taken };
      const text = JSON.stringify(result);
      const plain = await redact(search, text);
      expect(plain).toEqual(await redact(search, escapeAll(text)));
      seen[JSON.stringify(plain) === text ? "nothing" : "found"] += 1;
    }),
    { numRuns: 1_000 },
  );
  expect(Math.min(seen.found, seen.nothing)).toBeGreaterThan(50);
});

it("values of paths are replaced in short and in long texts, the longest first, also where they are many", async () => {
  const items = Array.from({ length: 300 }, (_, at) => ({ email: `user${at}@example.com`, id: at }));
  const long = `${"lorem ipsum ".repeat(50)}user7@example.com and user77@example.com`;
  const short = "to user299@example.com";
  const result = {
    content: [
      { type: "text", text: long },
      { type: "text", text: short },
    ],
    structuredContent: { items },
  };
  const { content } = (await redact({ paths: ["result.items[*].email"] }, result)) as { content: { text: string }[] };
  expect(content.map(({ text }) => text)).toEqual([`${"lorem ipsum ".repeat(50)}${MARK} and ${MARK}`, `to ${MARK}`]);
});
