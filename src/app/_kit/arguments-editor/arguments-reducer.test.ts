import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "@/lib/contract/json";
import { jsonValues } from "@/lib/json-values.test-support";
import { type ArgumentsAction, argumentsReducer } from "./arguments-reducer";
import { type ArgumentsState, createArgumentsState, findParseError, isDirty, payloadText } from "./arguments-state";

const run = (start: string | ArgumentsState, ...actions: ArgumentsAction[]) =>
  actions.reduce(argumentsReducer, typeof start === "string" ? createArgumentsState(start) : start);

const sent = (state: ArgumentsState): JsonValue => JSON.parse(payloadText(state) ?? "null");

const badDraft = (pointer: string): ArgumentsAction => ({
  type: "draft",
  pointer,
  text: "{",
  fault: { offset: 1, line: 1, column: 2, message: "expected a closing }" },
});

describe("absent, null and empty text", () => {
  it("RTE-03 are three different things that are sent as such", () => {
    const state = run(
      '{"a":"x","b":"x","c":"x"}',
      { type: "unset", pointer: "/a" },
      { type: "set", pointer: "/b", value: null },
      {
        type: "set",
        pointer: "/c",
        value: "",
      },
    );
    expect(sent(state)).toEqual({ b: null, c: "" });
    expect(sent(run(state, { type: "mode", mode: "json" }, { type: "mode", mode: "form" }))).toEqual({
      b: null,
      c: "",
    });
  });
});

describe("form and JSON", () => {
  it("RTE-03 hand any object back and forth unchanged, the order of keys included", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), jsonValues()), (object) => {
        const text = JSON.stringify(object);
        const there = run(text, { type: "mode", mode: "json" });
        const back = run(there, { type: "mode", mode: "form" });
        for (const state of [there, back, run(there, { type: "format" })]) {
          expect(JSON.stringify(sent(state))).toBe(JSON.stringify(JSON.parse(text)));
          expect(isDirty(state)).toBe(false);
        }
      }),
    );
  });

  it("RTE-03 send the text of JSON mode as it was typed, whatever JSON it is", () => {
    fc.assert(
      fc.property(jsonValues(), fc.nat(9), (value, indent) => {
        const text = ` { "n":12345678901234567890, "n": 1.50e0,\n\t"v":${JSON.stringify(value, null, indent)}}\n`;
        expect(payloadText(run("{}", { type: "mode", mode: "json" }, { type: "typed", text }))).toBe(text);
      }),
    );
  });

  it("keep the text as it was typed while its value stays the same", () => {
    const typed = '{"b": 1.0,\n\n  "a":[ ]}';
    const state = run(
      "{}",
      { type: "mode", mode: "json" },
      { type: "typed", text: typed },
      { type: "mode", mode: "form" },
    );
    expect(run(state, { type: "mode", mode: "json" }).text).toBe(typed);
    const there = run(state, { type: "set", pointer: "/b", value: 2 });
    expect(run(there, { type: "mode", mode: "json" }).text).toBe('{\n  "b": 2,\n  "a": []\n}');
    const back = run(there, { type: "set", pointer: "/b", value: 1 });
    expect(run(back, { type: "mode", mode: "json" }).text).toBe(typed);
  });

  it("refuse the form for broken JSON, and name line and column", () => {
    const state = run(
      "{}",
      { type: "mode", mode: "json" },
      { type: "typed", text: '{\n  "a": 1,\n  "b" 2\n}' },
      {
        type: "mode",
        mode: "form",
      },
    );
    expect(state.mode).toBe("json");
    expect(state.refusal?.fault).toMatchObject({ line: 3, column: 7, message: "expected a colon" });
    expect(findParseError(state)).toEqual({ line: 3, column: 7, message: "expected a colon" });
    expect(payloadText(state)).toBeNull();
    const again = run(state, { type: "mode", mode: "form" });
    expect(again.refusal).not.toBe(state.refusal);
    expect(run(again, { type: "typed", text: "{}" }, { type: "mode", mode: "form" })).toMatchObject({
      mode: "form",
      refusal: null,
    });
  });

  it.each([
    ["[1]", "an array"],
    ["null", "null"],
    ['\n  "x"', "a string"],
  ])("refuse the form for the root %j, which still can be sent", (text, kind) => {
    const state = run(text, { type: "mode", mode: "form" });
    expect(state.mode).toBe("json");
    expect(state.refusal?.fault.message).toBe(`must be a JSON object, got ${kind}`);
    expect(sent(state)).toEqual(JSON.parse(text));
  });

  it("start in JSON mode with a text that is broken, and keep it", () => {
    const state = createArgumentsState('{"a": }');
    expect(state).toMatchObject({ mode: "json", text: '{"a": }' });
    expect(findParseError(state)).toMatchObject({ line: 1, column: 7 });
    expect(isDirty(state)).toBe(false);
  });

  it("keep a key called __proto__", () => {
    const state = run(
      '{"__proto__":{"x":1}}',
      { type: "set", pointer: "/__proto__/x", value: 2 },
      {
        type: "set",
        pointer: "/other",
        value: true,
      },
    );
    expect(payloadText(state)).toBe('{ "__proto__": { "x": 2 }, "other": true }');
    expect(JSON.parse(payloadText(run(state, { type: "mode", mode: "json" })) ?? "")).toEqual(sent(state));
  });

  it("lay out a text that a program wrote, and leave one that a user wrote", () => {
    expect(createArgumentsState('{"a":[1]}').text).toBe('{\n  "a": [\n    1\n  ]\n}');
    for (const text of ['{"a": 1}', '{"a":1.0}', '{"a":1,"a":2}', '{"a":12345678901234567890}']) {
      expect(createArgumentsState(text).text).toBe(text);
    }
  });

  it("do not take on what is nested too deep to be handled", () => {
    const state = createArgumentsState(`{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
    expect(findParseError(state)?.message).toBe("exceeds 200 nesting levels");
  });
});

describe("fields that are not JSON yet", () => {
  it("hold back the whole, and say where", () => {
    const state = run('{"extra":1}', badDraft("/extra"));
    expect(payloadText(state)).toBeNull();
    expect(findParseError(state)).toEqual({ line: 1, column: 2, message: "extra: expected a closing }" });
    const refused = run(state, { type: "mode", mode: "json" });
    expect(refused).toMatchObject({ mode: "form", refusal: { pointer: "/extra" } });
    expect(sent(run(refused, { type: "set", pointer: "/extra", value: 1 }))).toEqual({ extra: 1 });
  });

  it("follow their element when it moves, and go with it", () => {
    const start = run('{"l":[0,1,2]}', badDraft("/l/1/x"));
    const places = (...actions: ArgumentsAction[]) => [...run(start, ...actions).drafts.keys()];
    expect(places({ type: "move", pointer: "/l", from: 1, to: 0 })).toEqual(["/l/0/x"]);
    expect(places({ type: "move", pointer: "/l", from: 0, to: 2 })).toEqual(["/l/0/x"]);
    expect(places({ type: "insert", pointer: "/l", index: 0, value: 9 })).toEqual(["/l/2/x"]);
    expect(places({ type: "duplicate", pointer: "/l", index: 0 })).toEqual(["/l/2/x"]);
    expect(places({ type: "remove", pointer: "/l", index: 0 })).toEqual(["/l/0/x"]);
    expect(places({ type: "remove", pointer: "/l", index: 1 })).toEqual([]);
    expect(places({ type: "unset", pointer: "/l" })).toEqual([]);
    expect(places({ type: "rename", pointer: "", from: "l", to: "a/b" })).toEqual(["/a~1b/1/x"]);
  });
});

describe("filling, resetting and going back", () => {
  const other: JsonObject = { b: [1] };

  it("filling replaces everything, and undo brings value and text back", () => {
    const start = run("{}", { type: "mode", mode: "json" }, { type: "typed", text: '{ "a":1 }' });
    const filled = run(start, { type: "fill", value: other });
    expect(sent(filled)).toEqual(other);
    expect(filled.revision).toBeGreaterThan(start.revision);
    expect(run(filled, { type: "undo" })).toMatchObject({ text: '{ "a":1 }', value: { a: 1 }, undo: null });
  });

  it("an edit after filling takes the undo away, so that it cannot lose the edit", () => {
    const edited = run('{"a":1}', { type: "fill", value: other }, { type: "set", pointer: "/c", value: 1 });
    expect(edited.undo).toBeNull();
    expect(run(edited, { type: "undo" })).toBe(edited);
  });

  it("resetting returns to the initial text and can be undone, from broken JSON too", () => {
    const broken = run('{"a": 1}', { type: "mode", mode: "json" }, { type: "typed", text: "{" });
    const reset = run(broken, { type: "reset" });
    expect(reset).toMatchObject({ text: '{"a": 1}', fault: null });
    expect(isDirty(reset)).toBe(false);
    expect(findParseError(run(reset, { type: "undo" }))).not.toBeNull();
  });
});

it("gives the same state for actions that change nothing", () => {
  const state = createArgumentsState('{"l":[1],"a":1}');
  for (const action of [
    { type: "unset", pointer: "/gone" },
    { type: "move", pointer: "/l", from: 0, to: 5 },
    { type: "rename", pointer: "", from: "a", to: "l" },
    { type: "duplicate", pointer: "/a", index: 0 },
    { type: "mode", mode: "form" },
    { type: "undo" },
  ] satisfies ArgumentsAction[]) {
    expect(argumentsReducer(state, action), JSON.stringify(action)).toBe(state);
  }
});
