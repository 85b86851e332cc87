import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ChatMessage } from "../../../lib/contract/chat";
import type { JsonObject } from "../../../lib/contract/json";
import type { ScriptedRequest, ScriptedStep } from "../../models/scripted-client.test-support";
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

describe("read_result", () => {
  const idIn = (messages: readonly ChatMessage[]): string =>
    /execution_id "(exec_[^"]+)"/.exec(JSON.stringify(messages).replaceAll('\\"', '"'))?.[1] ?? "";
  const read =
    (args: JsonObject): ScriptedStep =>
    (messages) => ({ calls: [{ name: "read_result", arguments: { execution_id: idIn(messages), ...args } }] });
  const listTools = ({ options }: ScriptedRequest) => options.tools?.map(({ name }) => name);
  const answerIn = ({ messages }: ScriptedRequest): unknown => messages.at(-1)?.contents[0];

  it("is offered once a lens reduced a result, and reads the run's own results in parts without calling the tool again", async () => {
    const life = await startLife(
      [
        { calls: [{ name: "list" }] },
        read({ pointer: "/1/title" }),
        read({ offset: 5, limit: 20 }),
        read({ pointer: "/9" }),
        { text: "Done" },
      ],
      { scratch: await databases.open(), tools: { list }, lenses: { list: "[].id" } },
    );
    await life.runToEnd("How many?");
    const [first, reduced, title, piece, missing] = life.model.requests;
    expect(listTools(first as ScriptedRequest)).not.toContain("read_result");
    expect(listTools(reduced as ScriptedRequest)).toContain("read_result");
    expect(answerIn(title as ScriptedRequest)).toMatchObject({ result: "Issue 2" });
    const whole = JSON.stringify(ISSUES);
    const rest = `[Characters 5 to 25 of ${whole.length}. Continue with offset 25.]`;
    expect(answerIn(piece as ScriptedRequest)).toMatchObject({ result: `${whole.slice(5, 25)}\n${rest}` });
    expect(answerIn(missing as ScriptedRequest)).toMatchObject({
      exception: { kind: "tool_error", message: "pointer: there is no '9' in this result" },
    });
    expect(life.ran).toHaveLength(1);
  });

  it("is offered where the limit of characters cut a result, and refuses results of others", async () => {
    const scratch = await databases.open();
    const long = async () => "x".repeat(30_000);
    const other = await startLife([], { scratch, tools: { long } });
    const foreign = (await other.executions.run(LOCAL_OWNER, { tool: "long", argumentsText: "{}" })).id;
    const life = await startLife(
      [{ calls: [{ name: "long" }] }, read({ offset: 20_000 }), read({ execution_id: foreign }), { text: "Done" }],
      { scratch, tools: { long } },
    );
    await life.runToEnd("Read it");
    const [, , rest, refused] = life.model.requests;
    expect(answerIn(rest as ScriptedRequest)).toMatchObject({ result: expect.stringMatching(/^x{10000}$/) });
    expect(answerIn(refused as ScriptedRequest)).toMatchObject({
      exception: { message: expect.stringContaining(`There is no result '${foreign}' here`) },
    });
  });
});
