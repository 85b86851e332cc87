import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { readMessageText } from "../../../lib/contract/chat";
import { ChatClientError } from "../../engine/agent/chat-ports";
import type { ModelSpender } from "../../engine/agent/model-budget";
import { scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());

describe("a response that exceeds the size limit", () => {
  const tooLarge = () =>
    new ChatClientError("response_too_large", "The model's response exceeded the limit of 8 MiB and was cut off.");

  it("ends the turn with the limit as its error, keeps the text that came, and does not send it again", async () => {
    const scratch = await databases.open();
    const { runs, model, runToEnd } = await startLife(
      [{ text: "Once upon a time", error: tooLarge() }, { text: "Short" }],
      { scratch },
    );
    const { id, outcome } = await runToEnd("Tell me everything");
    expect(outcome).toMatchObject({ status: "failed", error: tooLarge().message });
    const kept = outcome.events.find((event) => event.type === "model_finished");
    expect(kept).toMatchObject({ partial: true, message: { contents: [{ text: "Once upon a time" }] } });
    await runs.send(LOCAL_OWNER, id, "Shorter, please", undefined);
    await expect.poll(async () => (await runs.get(id)).status).toBe("succeeded");
    expect(model.requests[1]?.messages.map(readMessageText)).toEqual(["Tell me everything", "Shorter, please"]);
  });

  it("where only arguments came, the step says why it failed", async () => {
    const scratch = await databases.open();
    const { runToEnd } = await startLife([{ calls: [{ name: "echo" }], error: tooLarge() }], { scratch });
    const { outcome } = await runToEnd("Go");
    expect(outcome.events.find((event) => event.type === "model_failed")).toMatchObject({
      errorKind: "response_too_large",
      error: tooLarge().message,
    });
  });
});

describe("a response with more calls than are executed", () => {
  it("answers the surplus calls with a failure that says so, and the turn continues", async () => {
    const scratch = await databases.open();
    const calls = [1, 2, 3].map((at) => ({ name: "echo", arguments: { at } }));
    const life = await startLife([{ calls }, { text: "Done" }], { scratch, ports: { maxCallsPerResponse: 2 } });
    const { outcome } = await life.runToEnd("Go");
    expect(outcome.status).toBe("succeeded");
    expect(life.ran).toHaveLength(2);
    const results = outcome.events.flatMap((event) => (event.type === "tool_finished" ? [event.result] : []));
    expect(results.map(({ exception }) => exception?.message)).toEqual(
      expect.arrayContaining([expect.stringContaining("one response may make 2 calls")]),
    );
  });
});

describe("a budget that counts models", () => {
  it("ends the turn before the request for which there is no room, and the next turn too", async () => {
    const scratch = await databases.open();
    const usage = { inputTokens: 600_000, outputTokens: 0 };
    const spent: number[] = [];
    const budget = {
      findRefusal: async () => (spent.reduce((sum, each) => sum + each, 0) < 1 ? null : "At most $1.00 in 1 hour"),
      charge: async (_spender: ModelSpender, cost: number) => void spent.push(cost),
    };
    const price = { model: "scripted", input: 1, output: 1 };
    const step = { calls: [{ name: "echo" }], usage };
    const life = await startLife([step, step, { text: "Done" }], { scratch, price, ports: { budget } });
    const { id, outcome } = await life.runToEnd("Go");
    expect(outcome).toMatchObject({ status: "failed", error: "At most $1.00 in 1 hour" });
    expect(outcome.events.findLast((event) => event.type === "model_failed")).toMatchObject({ errorKind: "budget" });
    expect(spent).toEqual([0.6, 0.6]);
    expect(life.ran).toHaveLength(2);
    await life.runs.send(LOCAL_OWNER, id, "Go on", undefined);
    await expect.poll(async () => (await life.runs.get(id)).status).toBe("failed");
    expect(life.model.requests).toHaveLength(2);
  });
});
