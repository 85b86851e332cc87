import { describe, expect, it } from "vitest";
import { buildFirstRunSteps, isFirstRunOver, pickSampleTool } from "./first-run-steps";

const execution = { id: "exec_1", toolName: "echo" };
const states = (facts: Parameters<typeof buildFirstRunSteps>[0]) => buildFirstRunSteps(facts).map(({ state }) => state);

describe("the first run", () => {
  it("begins with running a tool, and says what to do when there is none", () => {
    const facts = { counts: { tools: 1, executions: 0, replays: 0 }, sampleTool: "a b", execution: null };
    expect(states(facts)).toEqual(["next", "later", "later"]);
    expect(buildFirstRunSteps(facts)[0]?.link).toEqual({ href: "/tools/a%20b", label: "Run a b" });
    expect(buildFirstRunSteps({ ...facts, sampleTool: null })[0]?.link?.href).toBe("/tools/new");
  });

  it("marks a step as done only when an execution proves it", () => {
    const ran = { counts: { tools: 1, executions: 1, replays: 0 }, sampleTool: "echo", execution };
    expect(states(ran)).toEqual(["done", "done", "next"]);
    expect(buildFirstRunSteps(ran).at(-1)?.link?.href).toBe("/executions/exec_1");
    expect(isFirstRunOver(ran)).toBe(false);

    const replayed = { ...ran, counts: { tools: 1, executions: 2, replays: 1 } };
    expect(states(replayed)).toEqual(["done", "done", "done"]);
    expect(isFirstRunOver(replayed)).toBe(true);
  });
});

describe("pickSampleTool", () => {
  it("prefers the example, and never offers a disabled tool", () => {
    const other = { name: "echo", enabled: true };
    expect(pickSampleTool([other, { name: "get_weather", enabled: true }])).toBe("get_weather");
    expect(pickSampleTool([{ name: "get_weather", enabled: false }, other])).toBe("echo");
    expect(pickSampleTool([{ name: "get_weather", enabled: false }])).toBeNull();
  });
});
