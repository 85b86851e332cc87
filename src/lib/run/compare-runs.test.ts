import { expect, it } from "vitest";
import { buildTurns } from "./build-turns";
import { compareRuns } from "./compare-runs";
import { answered, asked, called, DONE, returned, runLog, said } from "./run-log.test-support";

const run = (city: string, args: string, result: string, text: string) =>
  buildTurns(
    runLog(
      ...[said("first"), asked(1), answered(1, "hello"), DONE],
      ...[said(`weather in ${city}`), asked(2), answered(2, "", [["weather", args]])],
      ...[called(2, 0, "weather", args), returned(2, 0, "weather", result), asked(3), answered(3, text), DONE],
    ),
  );

it("AGT-08 finds where two runs part, and every part that differs after it", () => {
  const original = run("Oslo", '{"city":"Oslo","days":1}', "cold", "It is cold.");
  expect(compareRuns(original, run("Oslo", '{ "days": 1, "city": "Oslo" }', "cold", "It is cold."))).toEqual({
    first: null,
    parts: new Set(),
  });
  expect(compareRuns(original, run("Oslo", '{"city":"Oslo","days":1}', "sunny", "It is sunny."))).toEqual({
    first: "2 call 0",
    parts: new Set(["2 call 0", "3 text"]),
  });
  expect(compareRuns(original, run("Rome", '{"city":"Rome","days":1}', "cold", "It is cold.")).first).toBe("2 message");
});

it("AGT-08 counts what only one of two runs has as a difference, in the order of the steps", () => {
  const [short] = run("Oslo", "{}", "cold", "It is cold.");
  if (short === undefined) throw new Error("no turn");
  const { first, parts } = compareRuns([short], run("Oslo", "{}", "cold", "It is cold."));
  expect(first).toBe("2 message");
  expect([...parts]).toEqual(["2 message", "2 text", "2 call 0", "3 text"]);
});
