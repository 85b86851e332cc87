import { describe, expect, it } from "vitest";
import { TOOL_NAME_PATTERN } from "../../../../lib/contract/tool-definition";
import { checkDefinition } from "../../../engine/registry/check-definition";
import { AjvValidator } from "../../../platform/workers/ajv-validator";
import { goodModel, judged, type ModelMove, type ModelPolicy } from "../scenario-model.test-support";
import { CHECK_SCENARIOS } from "./check-scenarios";

const scenario = (id: string) => {
  const found = CHECK_SCENARIOS.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`no scenario ${id}`);
  return found;
};
/** Says these one after another. */
const saying =
  (...moves: ModelMove[]): ModelPolicy =>
  (_, results) => {
    let calls = 0;
    const at = moves.findIndex((move) => {
      calls += typeof move === "string" ? 0 : move.length;
      return calls > results.length || typeof move === "string";
    });
    return moves[at] ?? "";
  };
const reading = (city: string) => ({ name: "check_get_reading", args: { city } });

describe("scenarios of the built-in suite", () => {
  it("are the seven that make up a check, each with a title and what counts as success", () => {
    expect(CHECK_SCENARIOS.map(({ id }) => id)).toEqual([
      "single_call",
      "parallel_calls",
      "wrong_enum",
      "no_tool",
      "chain",
      "large_result",
      "error_recovered",
    ]);
    for (const { title, description } of CHECK_SCENARIOS) {
      expect(title.length).toBeGreaterThan(3);
      expect(description).toContain("Passes when");
    }
  });

  it.each(CHECK_SCENARIOS.map((each) => [each.id, each] as const))(
    "%s: a model that does it right passes in every round",
    async (_, each) => {
      for (let round = 1; round <= 20; round += 1)
        expect(await judged(each, goodModel, round), `round ${round}`).toBeNull();
    },
  );

  it.each(CHECK_SCENARIOS.map((each) => [each.id, each] as const))(
    "%s: a model that says nothing or invents a number fails",
    async (_, each) => {
      expect(await judged(each, () => "")).toMatch(/^The model |^No call/);
      expect(await judged(each, () => "It is 1.")).toMatch(/^The model |^No call|^Its answer/);
      const calling: ModelPolicy = (question, results) => {
        const move = goodModel(question, results);
        return typeof move === "string" ? "I am not sure." : move;
      };
      expect(await judged(each, calling)).toMatch(/^Its answer does not say/);
    },
  );

  it("tools are valid, read-only, need no approval and have names that no catalog's tool has by chance", async () => {
    const validator = new AjvValidator({ home: process.cwd() });
    for (const { prepare } of CHECK_SCENARIOS) {
      for (const { definition } of prepare(1).tools) {
        expect(definition.name).toMatch(/^check_/);
        expect(definition.name).toMatch(TOOL_NAME_PATTERN);
        expect(definition).toMatchObject({ approval: "never", annotations: { readOnlyHint: true } });
        expect(checkDefinition(definition, (schema) => validator.checkSchema(schema), { implemented: true })).toEqual(
          [],
        );
      }
    }
    await validator.close();
  });

  it("values differ from round to round, and are the same for the same round", async () => {
    const text = async (round: number) => {
      const [tool] = scenario("chain").prepare(round).tools;
      return tool?.run({ customer: "x" }, { signal: new AbortController().signal, logger: console });
    };
    expect(await text(1)).toBe(await text(1));
    expect(new Set(await Promise.all([1, 2, 3, 4, 5].map(text))).size).toBe(5);
  });
});

describe("what fails a scenario", () => {
  it.each<[string, string, ModelPolicy]>([
    ["single_call", "The model made 2 calls where one was enough.", saying([reading("Oslo")], [reading("Oslo")], "x")],
    ["single_call", "The model did not ask for Oslo.", saying([reading("Bergen")], "x")],
    ["single_call", "Its call of nothing failed: no such tool", saying([{ name: "nothing", args: {} }], "x")],
    [
      "parallel_calls",
      "The model asked for one city after the other, not for both in one answer.",
      saying([reading("Oslo")], [reading("Lima")], "x"),
    ],
    ["parallel_calls", "The model did not ask for both cities.", saying([reading("Oslo"), reading("Oslo")], "x")],
    [
      "wrong_enum",
      "No call with the unit celsius succeeded.",
      saying([{ name: "check_read_thermometer", args: { unit: "C" } }], "12"),
    ],
    [
      "no_tool",
      "The model called check_get_reading, which this question does not need.",
      saying([reading("Paris")], "Paris"),
    ],
    [
      "chain",
      "The model did not call check_get_delivery with the order id that check_find_order returned.",
      saying(
        [{ name: "check_find_order", args: { customer: "Ada" } }],
        [{ name: "check_get_delivery", args: { orderId: "1" } }],
        "x",
      ),
    ],
    [
      "chain",
      "No call of check_find_order succeeded.",
      saying([{ name: "check_get_delivery", args: { orderId: "1" } }], "x"),
    ],
    [
      "error_recovered",
      "The model gave up after the error.",
      saying([{ name: "check_get_report", args: { month: "May" } }], "x"),
    ],
    [
      "error_recovered",
      "No call did what the error asked for.",
      saying(
        [{ name: "check_get_report", args: { month: "May" } }],
        [{ name: "check_get_report", args: { month: "May", confirm: "yes" } }],
        "x",
      ),
    ],
  ])("%s: %s", async (id, reason, policy) => {
    expect(await judged(scenario(id), policy)).toBe(reason);
  });

  it("a number counts with separators, and not as a part of another one", async () => {
    const answering =
      (change: (amount: string) => string): ModelPolicy =>
      (question, results) => {
        const move = goodModel(question, results);
        return typeof move === "string" ? move.replace(/\d+/, change) : move;
      };
    const large = scenario("large_result");
    expect(
      await judged(
        large,
        answering((amount) => `${amount.slice(0, 1)},${amount.slice(1)}.50`),
      ),
    ).toMatch(/does not say/);
    expect(
      await judged(
        large,
        answering((amount) => `${amount.slice(0, 1)},${amount.slice(1)}`),
      ),
    ).toBeNull();
    expect(
      await judged(
        large,
        answering((amount) => `1${amount}`),
      ),
    ).toMatch(/does not say/);
    expect(
      await judged(
        large,
        answering((amount) => `${amount}7`),
      ),
    ).toMatch(/does not say/);
  });
});
