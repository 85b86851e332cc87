import { expect, it } from "vitest";
import { NewCalls } from "./chat-turn";
import { isShallow, readArguments, readArgumentsText, toArgumentsObject, toArgumentsText } from "./vendor-arguments";

const call = (given: string | Record<string, never>) => ({
  type: "function_call" as const,
  callId: "a",
  name: "t",
  arguments: given,
});

it.each([
  ['{"city":"Oslo"}', { city: "Oslo" }],
  ["", {}],
  ['{"city":"Os', { raw: '{"city":"Os' }],
  ["[1]", { raw: "[1]" }],
  ["null", {}],
])("makes an object of the arguments %s", (text, object) => {
  expect(toArgumentsObject(call(text))).toEqual(object);
  expect(JSON.parse(toArgumentsText(call(text)))).toEqual(object);
});

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

it("AGT-02 keeps an object unchanged, and turns one that cannot be serialized into text that is refused", () => {
  const fits = nested(200);
  expect(readArguments(fits)).toBe(fits);
  expect(readArguments("")).toBe("");
  expect(readArguments(undefined)).toEqual({});
  for (const levels of [201, 100_000]) {
    const text = readArguments(nested(levels));
    expect(text).toContain("nested deeper than 200");
    expect(() => JSON.parse(String(text))).toThrow();
    expect(readArgumentsText(nested(levels))).toBe(text);
  }
  expect(isShallow({ list: JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) })).toBe(false);
});

it("AGT-02 sends deep arguments back as text, whether they were kept as text or as an object", () => {
  const text = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  expect(toArgumentsObject(call(text))).toEqual({ raw: text });
  expect(JSON.parse(toArgumentsText(call(nested(100_000))))).toEqual({ raw: expect.stringContaining("nested deeper") });
});

it("gives a call an id of its own where the provider gave none, or one that the conversation has", () => {
  const ids = new NewCalls([{ role: "assistant", contents: [call({})] }], String);
  const given = [ids.takeId("b"), ids.takeId("a"), ids.takeId(""), ids.takeId(), ids.takeId("b")];
  expect(given[0]).toBe("b");
  expect(new Set([...given, "a"]).size).toBe(6);
});
