import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONDITION_ROOTS, readField, writeField } from "./condition-field";
import {
  CONDITION_OPERATORS,
  type ConditionForm,
  type ConditionRow,
  findRowProblem,
  type Literal,
  listLiteralKinds,
  takesNoValue,
} from "./condition-form";
import { locateRows, readCondition, writeCondition } from "./condition-text";

const segments = fc.oneof(
  fc.constantFrom("amount", "in", "true", "contains", "has", "size", "odd key", "", '"', "\\", "__proto__"),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.nat({ max: 999_999_999 }),
);

const fields = fc.oneof(
  fc
    .record({ root: fc.constantFrom(...CONDITION_ROOTS), segments: fc.array(segments, { maxLength: 4 }) })
    .map(writeField),
  fc.nat({ max: 10_000 }).map((minutes) => `count(${minutes})`),
  fc.constantFrom("time.getHours()", "time.getDayOfWeek()", 'time.getHours("Etc/GMT+5")'),
);

const LITERALS = {
  text: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "null", "5", "'", '" || true || "', "\\u0041")),
  number: fc.oneof(
    fc.bigInt().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom("9054686819491029395", "0.10", "1e5", "-0", "1E-7"),
  ),
  boolean: fc.constantFrom("true", "false"),
  null: fc.constant(""),
} as const;

function literals(kinds: readonly Literal["kind"][]): fc.Arbitrary<Literal> {
  return fc
    .constantFrom(...kinds)
    .chain((kind): fc.Arbitrary<Literal> => LITERALS[kind].map((text) => ({ kind, text })));
}

const rows: fc.Arbitrary<ConditionRow> = fc.constantFrom(...CONDITION_OPERATORS).chain((operator) => {
  const values = takesNoValue(operator)
    ? fc.constant([])
    : fc.array(literals(listLiteralKinds(operator)), { minLength: 1, maxLength: operator === "one_of" ? 4 : 1 });
  return fc.record({ field: fields, operator: fc.constant(operator), values });
});

const forms: fc.Arbitrary<ConditionForm> = fc.record({
  join: fc.constantFrom("and", "or"),
  rows: fc.array(
    rows.filter((row) => findRowProblem(row) === null),
    { maxLength: 5 },
  ),
});

describe("the text of a condition", () => {
  it("is read back as the rows that wrote it", () => {
    fc.assert(
      fc.property(forms, (form) => {
        const join = form.rows.length > 1 ? form.join : "and";
        expect(readCondition(writeCondition(form))).toEqual({ join, rows: form.rows });
      }),
      { numRuns: 2_000 },
    );
  });

  it("has each row where a problem of the text can find it", () => {
    const rows: ConditionRow[] = [
      { field: "args.a", operator: "above", values: [{ kind: "number", text: "1" }] },
      { field: "", operator: "equals", values: [] },
      { field: "args.b", operator: "matches", values: [{ kind: "text", text: "(" }] },
    ];
    const text = writeCondition({ join: "or", rows });
    const parts = locateRows({ join: "or", rows }).map((place) => place && text.slice(place.from, place.to));
    expect(parts).toEqual(["args.a > 1", null, 'args.b.matches("(")']);
  });

  it("is written the same once it was read", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const form = readCondition(text);
        if (form !== null) expect(readCondition(writeCondition(form))).toEqual(form);
      }),
    );
  });

  it.each([
    ["args.amount>500&&args.currency=='EUR'", 'args.amount > 500 && args.currency == "EUR"'],
    ["args['odd key'] in ['a',\"b\"]", 'args["odd key"] in ["a", "b"]'],
    ["args.note.contains('say \"hi\"')", 'args.note.contains("say \\"hi\\"")'],
    ["\n args.id ==  9054686819491029395\n", "args.id == 9054686819491029395"],
    ["!has(args.a) || 'k d' in args.list||5 in args.x", '!has(args.a) || "k d" in args.list || 5 in args.x'],
    ["time.getHours()>=18 && count( 60 ) > 3", "time.getHours() >= 18 && count(60) > 3"],
    ["time.getHours('Europe/Oslo')<6", 'time.getHours("Europe/Oslo") < 6'],
  ])("typed by hand as the builder would is read: %s", (typed, written) => {
    const form = readCondition(typed);
    expect(form && writeCondition(form)).toBe(written);
  });

  it.each([
    "args.a > 1 && args.b > 2 || args.c > 3",
    "(args.a > 1)",
    "args.amount + 1 > 5",
    "args.items.all(i, i > 1)",
    "!(args.a == 1)",
    "5 < args.a",
    "args.a == args.b",
    "args.a in []",
    "args.a > true",
    "args.a.contains(5)",
    'args.a == r"raw"',
    'args.a == """three"""',
    'args.a == "\\x41"',
    "args.a == 1u",
    "args.a == 0x1f",
    "size(args.a) > 1",
    "time.getHours('no such \\n zone') > 1",
    "time.getHours > 1",
    "has(args)",
    "has(args[0])",
    "count(60)",
    "args.a == 1 // note",
    "other.a == 1",
    "args.a == 1 &&",
    "&& args.a == 1",
    "args.a.startsWith('x') == true",
  ])("that only text can edit is not read as rows: %s", (text) => {
    expect(readCondition(text)).toBeNull();
  });

  it("leaves incomplete rows out and names what they lack", () => {
    const rows: ConditionRow[] = [
      { field: "args.amount", operator: "above", values: [{ kind: "number", text: "5e" }] },
      { field: "amount", operator: "equals", values: [{ kind: "text", text: "x" }] },
      { field: "args", operator: "missing", values: [] },
      { field: "count(60)", operator: "contains", values: [{ kind: "text", text: "1" }] },
      { field: "args.a", operator: "contains", values: [{ kind: "number", text: "5" }] },
      { field: "args.b", operator: "equals", values: [{ kind: "text", text: "" }] },
    ];
    expect(writeCondition({ join: "and", rows })).toBe('args.b == ""');
    expect(rows.map(findRowProblem)).toEqual([
      { part: "value", message: "5e is not a number" },
      { part: "field", message: "Begin with args., tool., caller., client., result., time.get…() or count(minutes)" },
      { part: "field", message: "Choose a field whose last part is a plain name, or edit the condition as text" },
      { part: "field", message: "count(60) is a number: compare it with =, ≠, >, ≥, < or ≤" },
      { part: "value", message: '"contains" takes text' },
      null,
    ]);
  });
});

it("a field that was written is read back, whatever its keys are", () => {
  fc.assert(
    fc.property(fc.array(segments), (path) => {
      expect(readField(writeField({ root: "args", segments: path }))).toEqual({ root: "args", segments: path });
    }),
  );
});
