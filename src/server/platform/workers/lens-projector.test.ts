import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Projection } from "../../engine/lens/lens-ports";
import { JmespathProjector } from "./lens-projector";

const projector = new JmespathProjector({ home: process.cwd() });
afterAll(() => projector.close());

const ISSUES = [
  { number: 7, title: "Broken", user: { login: "ada", id: 1 }, labels: [{ name: "bug", color: "f00" }] },
  { number: 8, title: "Slow", user: { login: "bob", id: 2 }, labels: [] },
];

const ofOwnTool = (expression: string, result: unknown): Projection | Promise<Projection> =>
  projector.project(expression, { result, resultText: JSON.stringify(result), fromServer: false });
const ofServerTool = (expression: string, result: unknown): Projection | Promise<Projection> =>
  projector.project(expression, { result, resultText: JSON.stringify(result), fromServer: true });

describe("a lens", () => {
  it("keeps the chosen fields of a tool's own result", () => {
    const expected = [
      { number: 7, user: "ada", labels: ["bug"] },
      { number: 8, user: "bob", labels: [] },
    ];
    const lens = "[].{number: number, user: user.login, labels: labels[].name}";
    expect(ofOwnTool(lens, ISSUES)).toEqual({ value: expected, text: JSON.stringify(expected) });
    expect(ofOwnTool("[0].number", JSON.stringify(ISSUES))).toMatchObject({ value: 7 });
  });

  it("reads structured content, JSON in a text block, and a list of several blocks", () => {
    const text = (value: unknown) => ({ type: "text", text: JSON.stringify(value) });
    expect(ofServerTool("a", { content: [text({ a: 1 })], structuredContent: { a: 2 } })).toMatchObject({ value: 2 });
    expect(ofServerTool("a", { content: [text({ a: 1 })] })).toMatchObject({ value: 1 });
    expect(ofServerTool("[].a", { content: [text({ a: 1 }), text({ a: 2 })] })).toMatchObject({ value: [1, 2] });
    expect(ofServerTool("@", { content: [{ type: "text", text: "plain {words" }] })).toMatchObject({
      value: "plain {words",
    });
    expect(ofServerTool("a", { content: [{ type: "image", data: "", mimeType: "image/png" }] })).toEqual({
      none: true,
    });
  });

  it("EXE-06 keeps the digits of every number that it selects, in this process and in a thread", async () => {
    const resultText =
      '{"structuredContent":{"id":12345678901234567890,"near":[9007199254740993,9007199254740992,9007199254740994],"n":1.0,' +
      '"price":0.12345678901234567890,"huge":-1e400,"tiny":1e-400,"zero":0,"text":"1"},"content":[]}';
    const input = { result: JSON.parse(resultText) as unknown, resultText, fromServer: true };
    expect(await projector.project("{id: id, n: n}", input)).toMatchObject({
      text: '{"id":12345678901234567890,"n":1}',
    });
    // Several that are read as one double: none may be taken for another.
    const near = "[9007199254740993,9007199254740992,9007199254740994]";
    expect(await projector.project("near", input)).toMatchObject({ text: near });
    expect(await projector.project("near[?@ == `9007199254740992`]", input)).toMatchObject({
      text: "[9007199254740992]",
    });
    expect(await projector.project("[max([id, zero]), price, huge, tiny, zero, length(text)]", input)).toMatchObject({
      text: "[12345678901234567890,0.12345678901234567890,-1e400,1e-400,0,1]",
    });
    const block = { content: [{ type: "text", text: '{"id":9007199254740993}' }] };
    expect(await ofServerTool("{id: id}", block)).toMatchObject({ text: '{"id":9007199254740993}' });
    expect(await ofOwnTool("id", '{"id":9007199254740993}')).toMatchObject({ text: "9007199254740993" });
    const padded = `${resultText.slice(0, -1)},"padding":"${"x".repeat(500_000)}"}`;
    const large = { result: JSON.parse(padded) as unknown, resultText: padded, fromServer: true };
    expect(await projector.project("id", large)).toMatchObject({ text: "12345678901234567890" });
  });

  it("that finds nothing fails, so that the whole result is sent", () => {
    const fault = "The expression selects nothing in this result";
    expect(ofOwnTool("missing.field", ISSUES)).toEqual({ fault });
    expect(ofOwnTool("{a: missing, b: gone}", { c: 1 })).toEqual({ fault });
    expect(ofOwnTool("constructor", { a: 1 })).toEqual({ fault });
    expect(ofOwnTool("items", { items: [] })).toEqual({ value: [], text: "[]" });
    expect(ofOwnTool("sum(@)", { a: 1 })).toMatchObject({ fault: expect.stringContaining("sum()") });
  });

  it.each(["a[", "foo bar", "nofn(@)", "[].{a: nofn(@)}", "$.a[?nofn(@)]", " ", "a".repeat(2001)])(
    "is refused when it is no expression that could be evaluated: %.20s",
    (expression) => {
      expect(projector.check(expression)).toEqual(expect.any(String));
    },
  );

  it("never changes the result, and gives JSON or a reason for any result and expression", async () => {
    const names = fc.constantFrom("a", "b", "items", "__proto__", "constructor", "length");
    const expression = fc.oneof(
      names,
      fc.tuple(names, names).map(([one, other]) => `${one}.${other}`),
      fc.tuple(names, names).map(([one, other]) => `[].{${one}: ${other}}`),
      fc.tuple(names, fc.integer()).map(([one, index]) => `${one}[${index}]`),
      names.map((name) => `*.${name} | [:2]`),
      names.map((name) => `sort_by(@, &${name})`),
    );
    const property = fc.asyncProperty(fc.jsonValue(), expression, fc.boolean(), async (result, lens, fromServer) => {
      const resultText = JSON.stringify(result);
      const outcome = await projector.project(lens, { result, resultText, fromServer });
      expect(JSON.stringify(result)).toBe(resultText);
      if ("text" in outcome) expect(JSON.stringify(outcome.value)).toBe(outcome.text);
      else if ("fault" in outcome) expect(outcome.fault).not.toBe("");
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
