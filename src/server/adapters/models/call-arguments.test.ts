import { expect, it } from "vitest";
import { argumentsObject, argumentsText } from "./call-arguments";
import { CallIds } from "./call-ids";

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
  ["null", { raw: "null" }],
])("makes an object of the arguments %s", (text, object) => {
  expect(argumentsObject(call(text))).toEqual(object);
  expect(JSON.parse(argumentsText(call(text)))).toEqual(object);
});

it("gives a call an id of its own where the provider gave none, or one that the conversation has", () => {
  const ids = new CallIds([{ role: "assistant", contents: [call({})] }]);
  const given = [ids.take("b"), ids.take("a"), ids.take(""), ids.take(), ids.take("b")];
  expect(given[0]).toBe("b");
  expect(new Set([...given, "a"]).size).toBe(6);
});
