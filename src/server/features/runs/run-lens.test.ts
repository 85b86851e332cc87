import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract";
import { scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());

const ISSUES = [1, 2, 3].map((id) => ({ id, title: `Issue ${id}`, body: "long ".repeat(50) }));
const list = async () => JSON.stringify(ISSUES);

describe("a run that calls a tool with a lens", () => {
  it("gives the model the projection; the execution keeps the whole, says which expression, and shows what was sent", async () => {
    const life = await startLife([{ calls: [{ name: "list" }] }, { text: "Three" }], {
      scratch: await databases.open(),
      tools: { list },
      lenses: { list: "[].id" },
    });
    const { id } = await life.runToEnd("How many?");
    const result = life.model.requests[1]?.messages.at(-1)?.contents[0];
    expect(result).toMatchObject({ type: "function_result", result: expect.stringMatching(/^\[1,2,3\]/) });
    const [call] = await life.executionStore.findByRun(id);
    const detail = await life.executions.get(call?.id ?? "");
    expect(JSON.parse(JSON.parse(detail.resultText ?? ""))).toEqual(ISSUES);
    expect(detail.lens).toEqual({ expression: "[].id", fault: null });
    expect(detail.modelView).toMatchObject({ text: "[1,2,3]", lens: "[].id" });
  });

  it("gives the whole where the expression fails, and the execution says why", async () => {
    const life = await startLife([{ calls: [{ name: "list" }] }, { text: "Three" }], {
      scratch: await databases.open(),
      tools: { list },
      lenses: { list: "items[].id" },
    });
    const { id } = await life.runToEnd("How many?");
    expect(life.model.requests[1]?.messages.at(-1)?.contents[0]).toMatchObject({ result: JSON.stringify(ISSUES) });
    const [call] = await life.executionStore.findByRun(id);
    const { lens, modelView } = await life.executions.get(call?.id ?? "");
    expect(lens).toEqual({ expression: "items[].id", fault: "The expression selects nothing in this result" });
    expect(modelView).toMatchObject({ text: JSON.stringify(ISSUES) });
  });

  it("a call of the console gets the whole, with what a model would receive beside it", async () => {
    const life = await startLife([], {
      scratch: await databases.open(),
      tools: { list },
      lenses: { list: "[0].title" },
    });
    const detail = await life.executions.run(LOCAL_OWNER, { tool: "list", argumentsText: "{}" });
    expect(JSON.parse(JSON.parse(detail.resultText ?? ""))).toEqual(ISSUES);
    expect(detail.lens).toBeNull();
    expect(detail.modelView).toMatchObject({ text: "Issue 1", lens: "[0].title" });
  });
});
