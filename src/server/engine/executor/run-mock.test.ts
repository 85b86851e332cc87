import { describe, expect, it } from "vitest";
import { checkDefinition } from "../registry/check-definition";
import { engineWith, memoryJournal, NO_PARAMETERS, tool } from "./executor.test-support";

const ANY = { type: "object" };

function call(mock: object, args: object, options = {}) {
  const { executor, registry } = engineWith();
  registry.register(tool("m", { type: "mock", mock_response: "default", ...mock } as never, ANY));
  return executor.execute("m", args, options);
}

describe("a mock with several responses", () => {
  const mock_responses = [
    { when: { equals: { city: "Oslo" } }, response: { t: -3 } },
    { when: { path: "/filter/unit", value: "F" }, response: 27 },
    { when: { subset: { city: "Lima" } }, response: null },
    { when: { subset: { city: "Atlantis" } }, error: "No such city" },
    { when: { subset: {} }, response: "never reached for the others" },
  ];
  const answer = async (args: object) => (await call({ mock_responses }, args)) as { result?: unknown };

  it("IMPL-01 returns the first one whose condition the arguments match, else its default", async () => {
    expect((await answer({ city: "Oslo" })).result).toEqual({ t: -3 });
    expect((await answer({ city: "Oslo", filter: { unit: "F" } })).result).toBe(27);
    expect((await answer({ city: "Lima", days: 2 })).result).toBeNull();
    expect((await answer({ city: "Bergen" })).result).toBe("never reached for the others");
    const withoutLast = { mock_responses: mock_responses.slice(0, -1) };
    expect(await call(withoutLast, { city: "Bergen" })).toMatchObject({ success: true, result: "default" });
  });

  it("is recorded with the response that it returned", async () => {
    const { rows, journal } = memoryJournal();
    const { executor, registry } = engineWith({ journal });
    registry.register(tool("m", { type: "mock", mock_response: { t: 0 }, mock_responses } as never, ANY));
    for (const city of ["Oslo", "nowhere", "Oslo"]) await executor.execute("m", { city });
    const texts = rows.flatMap(({ end }) => end?.resultText ?? []);
    expect(texts).toEqual(['{"t":-3}', '"never reached for the others"', '{"t":-3}']);
  });

  it("fails where its rule or its error rate says so", async () => {
    const failed = { success: false, error_kind: "tool_error", error: "No such city" };
    expect(await call({ mock_responses }, { city: "Atlantis" })).toMatchObject(failed);
    expect(await call({ mock_error_rate: 1 }, {})).toMatchObject({ success: false, error_kind: "tool_error" });
    expect(await call({ mock_error_rate: 0 }, {})).toMatchObject({ success: true });
  });

  it("answers after its delay, and ends at once at a timeout or a cancel", async () => {
    const slow = await call({ mock_delay_ms: { min: 30, max: 40 } }, {});
    expect(slow).toMatchObject({ success: true, result: "default" });
    expect(slow.duration_ms).toBeGreaterThanOrEqual(25);
    const rule = { when: { subset: {} }, response: 1, delay_ms: 1 };
    expect(await call({ mock_delay_ms: 600_000, mock_responses: [rule] }, {})).toMatchObject({ result: 1 });
    expect(await call({ mock_delay_ms: 600_000 }, {}, { timeoutMs: 20 })).toMatchObject({ error_kind: "timeout" });
    const signal = AbortSignal.timeout(20);
    expect(await call({ mock_delay_ms: 600_000 }, {}, { signal })).toMatchObject({ error_kind: "cancelled" });
  });
});

it("DEF-02 names everything that is wrong with a mock, and takes one without the new keys as before", () => {
  const check = (implementation: object) =>
    checkDefinition(
      { name: "m", description: "M", type: "function", handler: "m", parameters: NO_PARAMETERS, implementation },
      () => null,
    ).map(({ path, message }) => `${path} ${message}`);
  expect(check({ type: "mock", mock_response: null })).toEqual([]);
  const good = { when: { equals: {} }, response: null };
  const rules = [
    good,
    { when: {}, response: 1 },
    { when: { path: "city", value: 1 }, response: 1 },
    { when: { path: "/city" }, response: 1, error: "x" },
    { when: { subset: [1] } },
    7,
  ];
  const bad = { mock_responses: rules, mock_delay_ms: { min: 5, max: 1 }, mock_error_rate: 2 };
  expect(check({ type: "mock", ...bad })).toEqual([
    "implementation.mock_response is required for a mock (null is allowed)",
    "implementation.mock_responses[1].when must be { equals }, { subset } or { path, value }",
    'implementation.mock_responses[2].when.path must be a path such as /items/0/name, got "city"',
    "implementation.mock_responses[3].when.value is required",
    "implementation.mock_responses[3] must have a response (null is allowed) or an error, and not both",
    "implementation.mock_responses[4].when.subset must be an object of arguments",
    "implementation.mock_responses[4] must have a response (null is allowed) or an error, and not both",
    "implementation.mock_responses[5] must be an object with when and response",
    expect.stringContaining("implementation.mock_delay_ms must be milliseconds"),
    "implementation.mock_error_rate must be a number from 0 to 1, got 2",
  ]);
  expect(check({ type: "mock", mock_response: 1, mock_responses: {} })[0]).toContain("must be a list");
});
