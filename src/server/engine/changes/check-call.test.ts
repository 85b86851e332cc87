import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../lib/contract/json";
import { compileSchema } from "../../platform/workers/schema-compiler";
import { createCallCheck } from "./check-call";
import type { RecordedCall } from "./traffic-ports";

const MASK = "[masked:0123456789ab]";
const object = (properties: Record<string, unknown>, required: string[] = [], more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  required,
  ...more,
});
const TEXT = { type: "string" };

function check(before: JsonSchema, after: JsonSchema | undefined, args: unknown, call: Partial<RecordedCall> = {}) {
  const entries = { before: { inputSchema: before }, after: after === undefined ? undefined : { inputSchema: after } };
  const checkCall = createCallCheck(entries, (schema) => compileSchema(schema, { asWritten: true }));
  const argumentsText = typeof args === "string" ? args : JSON.stringify(args);
  return checkCall({ argumentsText, resultText: null, wasRefused: false, ...call });
}

describe("recorded calls, checked by a changed input schema", () => {
  const before = object({ path: TEXT, unit: { enum: ["c", "k"] } }, ["path"]);
  const after = object({ path: TEXT, unit: { enum: ["c"] }, priority: { type: "integer" } }, ["path", "priority"]);

  it.each([
    ["accepted", { path: "/", priority: 1 }, []],
    ["rejected", { path: "/" }, ["`priority` became required"]],
    ["rejected", { path: "/", priority: 1, unit: "k" }, ['`unit` must be one of "c"']],
    ["alreadyInvalid", { unit: "c" }, []],
    ["alreadyInvalid", "{broken", []],
    ["alreadyInvalid", "[1]", []],
  ])("are %s: %j", (kind, args, reasons) => {
    const checked = check(before, after, args);
    expect([checked.class, checked.reasons.map(({ reason }) => reason)]).toEqual([kind, reasons]);
  });

  it("are checked by the digits that were sent, and by a closed schema as their server may check them", () => {
    const big = object({ id: { type: "integer", maximum: 9007199254740991 } });
    expect(check(object({ id: { type: "integer" } }), big, '{"id":12345678901234567890}').class).toBe("rejected");
    const closed = object({ path: TEXT }, [], { additionalProperties: false });
    expect(check(before, closed, { path: "/", unit: "c" }).reasons).toEqual([
      { reason: "`unit` is no longer accepted", path: "unit" },
    ]);
    expect(check(before, closed, { path: "/", "ada@example.com": 1 }).reasons).toEqual([
      { reason: "an undefined parameter is no longer accepted", path: "*" },
    ]);
  });

  it("are not rejected for a format, which servers read as they like", () => {
    const dated = object({ path: { type: "string", format: "uuid" } });
    expect(check(before, dated, { path: "/" }).class).toBe("accepted");
  });

  it("say which arguments mean nothing any more where the schema is open", () => {
    const renamed = object({ folder: TEXT });
    expect(check(before, renamed, { path: "/", other: 1 })).toMatchObject({ class: "accepted", ignored: ["path"] });
  });

  it("are all rejected where the tool is gone, except those that were refused", () => {
    expect(check(before, undefined, { path: "/" }).class).toBe("rejected");
    expect(check(before, undefined, {}, { wasRefused: true }).class).toBe("alreadyInvalid");
  });
});

describe("a masked value", () => {
  const token = (schema: JsonSchema, required = ["token"]) =>
    object({ token: schema, limit: { type: "integer" } }, required);

  it.each<[string, string, JsonSchema, JsonSchema, unknown]>([
    ["accepted", "where its own schema stays", token(TEXT), token(TEXT, []), { token: MASK }],
    [
      "undecidable",
      "where its own schema changed, whatever the mask looks like",
      token(TEXT),
      token({ type: "string", maxLength: 50 }),
      { token: MASK },
    ],
    ["undecidable", "where its type changed", token(TEXT), token({ type: "integer" }), { token: MASK }],
    ["undecidable", "where a pattern is new", token(TEXT), token({ type: "string", pattern: "^sk-" }), { token: MASK }],
    [
      "undecidable",
      "in a list that must be unique",
      object({ list: { type: "array" } }),
      object({ list: { type: "array", uniqueItems: true } }),
      { list: [MASK, MASK] },
    ],
    [
      "undecidable",
      "that decides between alternatives",
      token(TEXT),
      { ...token(TEXT), oneOf: [object({ token: { const: "a" } }, ["limit"]), object({ token: { const: "b" } })] },
      { token: MASK },
    ],
    [
      "undecidable",
      "behind a condition",
      token(TEXT),
      { ...token(TEXT), if: object({ token: { const: "a" } }), ...JSON.parse('{"then":{"required":["limit"]}}') },
      { token: MASK },
    ],
    ["undecidable", "as the whole of the arguments", token(TEXT), token(TEXT, ["limit"]), `"${MASK}"`],
    [
      "undecidable",
      "that replaced a text which is too long to search",
      token(TEXT),
      token({ type: "integer" }),
      { token: "[redacted]" },
    ],
    [
      "rejected",
      "beside a parameter that became required",
      token(TEXT),
      token(TEXT, ["token", "limit"]),
      { token: MASK },
    ],
    [
      "rejected",
      "beside a value that is refused",
      token(TEXT),
      object({ token: TEXT, limit: TEXT }),
      { token: MASK, limit: 5 },
    ],
    [
      "rejected",
      "of a parameter that may not be there",
      token(TEXT),
      object({}, [], { additionalProperties: false }),
      { token: MASK },
    ],
    [
      "alreadyInvalid",
      "beside what was refused before",
      token(TEXT, ["limit"]),
      token(TEXT, ["limit"]),
      { token: MASK },
    ],
  ])("%s %s", (kind, _where, before, after, args) => {
    expect(check(before, after, args).class).toBe(kind);
  });
});

describe("recorded results, beside a changed output schema", () => {
  const results = (outputSchema: unknown, changed: unknown, resultText: string | null) =>
    createCallCheck({ before: { outputSchema }, after: { outputSchema: changed } }, (schema) => compileSchema(schema))({
      argumentsText: "{}",
      resultText,
      wasRefused: false,
    }).fields;
  const day = object({ date: TEXT, temperature: { type: "number" } });
  const week = {
    ...object({ days: { type: "array", items: { $ref: "#/$defs/Day" } }, place: TEXT }),
    $defs: { Day: day },
  };
  const text = (structuredContent: unknown) => JSON.stringify({ content: [], structuredContent });

  it("name the fields that clients received and that are gone, in lists and behind references too", () => {
    const renamed = { ...week, $defs: { Day: object({ date: TEXT, celsius: { type: "number" } }) } };
    const received = text({ place: "Oslo", days: [{ date: "x", temperature: 3 }, { date: "y" }], extra: 1 });
    expect(results(week, renamed, received)).toEqual(["days[].temperature"]);
    expect(results(week, renamed, text({ days: [{ date: "y" }] }))).toEqual([]);
    expect(results(week, undefined, received)?.sort()).toEqual(["days", "place"]);
    expect(results(week, { ...week, additionalProperties: TEXT }, received)).toEqual([]);
  });

  it("say nothing where they are cut, are no structured content, or no schema promised anything", () => {
    expect(results(week, day, null)).toBeNull();
    expect(results(week, day, JSON.stringify({ content: [] }))).toBeNull();
    expect(results(undefined, day, text({ place: "Oslo" }))).toBeNull();
  });
});
