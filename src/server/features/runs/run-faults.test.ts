import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { type FunctionResultContent, readMessageText } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { buildMessages } from "../../../lib/run/build-messages";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { ChatClientError } from "../../engine/agent/chat-ports";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createRunStore } from "./db/run-store";
import { SETTINGS, scratchDatabases, startLife } from "./run-service.test-support";
import type { RunStore, RunSums } from "./run-store";

const databases = scratchDatabases();
afterEach(() => databases.remove());
const never = () => new Promise<string>(() => undefined);
async function readSums(store: RunStore, id: string): Promise<RunSums> {
  const stored = await store.find(id);
  if (stored === null) throw new Error("The run is gone");
  return stored;
}
const listResults = (events: readonly RunEvent[]): FunctionResultContent[] =>
  buildMessages(events).flatMap(({ contents }) => contents.filter((content) => content.type === "function_result"));

describe("a model provider that fails", () => {
  it("ERR-03 is a warning in the log, without a stack of ours; a fault of ours is an error with its stack", async () => {
    const scratch = await databases.open();
    const logger = recordingLogger();
    const vendor = await startLife(
      [{ error: new ChatClientError("overloaded", "Anthropic is overloaded (HTTP 529).") }],
      {
        scratch,
        ports: { logger },
      },
    );
    expect((await vendor.runToEnd("Go")).outcome).toMatchObject({ status: "failed" });
    expect(logger.lines).toMatchObject([{ level: "warn", fields: { error: "Anthropic is overloaded (HTTP 529)." } }]);
    expect(logger.lines[0]?.fields).not.toHaveProperty("stack");
    const bug = await startLife([{ error: new TypeError("x is undefined") as never }], { scratch, ports: { logger } });
    expect((await bug.runToEnd("Go")).outcome).toMatchObject({ status: "failed" });
    const stack = expect.stringContaining("x is undefined");
    expect(logger.lines.at(-1)).toMatchObject({ level: "error", fields: { stack } });
  });
});

describe("a log that cannot be written", () => {
  it("ends before what was lost, without a gap; the run has failed and can be resumed", async () => {
    const scratch = await databases.open();
    const store = createRunStore({ db: scratch.db });
    let broken = true;
    // Refused later than the starts of its calls are recorded, which have to wait for it.
    const rejectAppend = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      throw new Error("The run could not be recorded: the disk is full");
    };
    let isFull = false;
    const failing: RunStore = {
      ...store,
      append: (id, events, sums, urgent) => {
        const type = events[0]?.type;
        isFull ||= broken && type === "model_finished";
        return isFull && type !== "turn_ended" ? rejectAppend() : store.append(id, events, sums, urgent);
      },
    };
    const { runs, runToEnd, ran } = await startLife([{ calls: [{ name: "echo" }] }, { text: "Done" }], {
      scratch,
      ports: { store: failing },
    });
    const { id, outcome } = await runToEnd("Go");
    expect(outcome).toMatchObject({ status: "failed", error: "The run could not be recorded: the disk is full" });
    expect(ran).toEqual([]);
    const stored = await store.events(id);
    expect(stored.map(({ index }) => index)).toEqual(stored.map((_, index) => index));
    expect(stored.at(-1)?.type).toBe("turn_ended");
    broken = false;
    isFull = false;
    await runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
  });

  it("refuses what would leave a gap in the store itself", async () => {
    const scratch = await databases.open();
    const { runToEnd } = await startLife([{ text: "Hi" }], { scratch });
    const { id } = await runToEnd("Go");
    const store = createRunStore({ db: scratch.db });
    const sums = await readSums(store, id);
    const notice = { type: "notice", at: 1, step: 1, notice: "retry", text: "x" } as const;
    await store.append(id, [{ ...notice, index: 10 }], sums, true);
    await expect(store.append(id, [{ ...notice, index: 12 }], sums, true)).rejects.toThrow(
      "an earlier event could not be",
    );
    await store.append(id, [{ ...notice, index: 11 }], sums, true);
  });

  it("a turn's end is tried again until it is written down", async () => {
    const scratch = await databases.open();
    const store = createRunStore({ db: scratch.db });
    let failures = 1;
    const failing: RunStore = {
      ...store,
      append: (id, events, sums, urgent) =>
        events[0]?.type === "turn_ended" && failures-- > 0
          ? Promise.reject(new Error("locked"))
          : store.append(id, events, sums, urgent),
    };
    const { runToEnd, runs } = await startLife([{ text: "Hi" }], { scratch, ports: { store: failing } });
    const { id } = await runToEnd("Go");
    expect((await runs.get(id)).events.at(-1)?.type).toBe("turn_ended");
    expect((await store.find(id))?.status).not.toBe("running");
  });

  it("a run whose beginning cannot be written does not exist", async () => {
    const scratch = await databases.open();
    const store = createRunStore({ db: scratch.db });
    const failing: RunStore = { ...store, create: () => Promise.reject(new Error("the disk is full")) };
    const { runs } = await startLife([], { scratch, ports: { store: failing } });
    await expect(runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Hi" })).rejects.toThrow("the disk is full");
    expect((await runs.list({}, undefined, 10)).items).toEqual([]);
  });

  it("what fails between taking a run and its turn ends the run, and it can be tried again", async () => {
    const scratch = await databases.open();
    let broken = true;
    const life = await startLife([{ text: "One" }, { text: "Two" }], { scratch });
    const { id } = await life.runToEnd("Go");
    const second = await startLife([{ text: "Two" }], {
      scratch,
      ports: {
        executions: {
          get: life.executions.get,
          cancel: life.executions.cancel,
          ended: life.executions.ended,
          ofRun: () => (broken ? Promise.reject(new Error("locked")) : Promise.resolve([])),
        },
      },
    });
    scratch.db.raw.prepare(`DELETE FROM RunEvent WHERE runId = ? AND type = 'turn_ended'`).run(id);
    const call = { type: "function_call", callId: "c1", name: "echo", arguments: "{}" };
    const body = {
      step: 1,
      message: { role: "assistant", contents: [call] },
      finishReason: "tool_calls",
      firstTokenMs: 1,
      durationMs: 1,
    };
    scratch.db.raw
      .prepare(`UPDATE RunEvent SET body = ? WHERE runId = ? AND type = 'model_finished'`)
      .run(JSON.stringify(body), id);
    await expect(second.runs.send(LOCAL_OWNER, id, "More", undefined)).rejects.toThrow();
    expect((await second.runs.get(id)).status).toBe("failed");
    broken = false;
    await second.runs.send(LOCAL_OWNER, id, "More", undefined);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
  });
});

describe("stopping at an awkward moment", () => {
  it("a stop that comes while a turn is being begun is not lost", async () => {
    const scratch = await databases.open();
    const { runToEnd, runs, model } = await startLife([{ text: "One" }, { text: "Two", hang: true }], { scratch });
    const { id } = await runToEnd("Go");
    const sending = runs.send(LOCAL_OWNER, id, "More", undefined);
    const stopping = runs.stop(LOCAL_OWNER, id);
    await sending;
    expect(await stopping).toEqual({ stopped: true });
    expect((await runs.get(id)).status).toBe("cancelled");
    expect(model.requests.length).toBeLessThanOrEqual(2);
  });

  it("a resumed run is not asked after the model's own unfinished words", async () => {
    const scratch = await databases.open();
    const { runs, model } = await startLife([{ text: "Once upon", hang: true }, { text: "The end" }], { scratch });
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Tell" });
    await waitUntil(async () => (await runs.get(id)).partial?.text === "Once upon");
    await runs.stop(LOCAL_OWNER, id);
    await runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    expect(model.requests[1]?.messages.map(readMessageText)).toEqual(["Tell"]);
  });
});

describe("calls that continue elsewhere", () => {
  it("a call that is still running in this process is waited for, not told as dead", async () => {
    const scratch = await databases.open();
    const first = await startLife([{ calls: [{ name: "slow" }] }], {
      scratch,
      tools: { slow: never },
      ports: { executor: { execute: () => new Promise(() => {}) } },
    });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await first.runs.get(id)).events.some(({ type }) => type === "tool_started"));
    let finish = (_: string): void => {};
    const slow = () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      });
    const second = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2", tools: { slow } });
    // As the approval service carries a call out whose caller is gone.
    const carried = second.executions.execute("slow", {}, { runId: id, callId: "call_1" });
    await waitUntil(() => second.ran.length === 1);
    await second.runs.load();
    expect((await second.runs.get(id)).status).toBe("waiting");
    await second.runs.decided(id);
    expect((await second.runs.get(id)).status).toBe("waiting");
    finish("in the end");
    await carried;
    await second.runs.decided(id);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(listResults((await second.runs.get(id)).events)).toMatchObject([{ result: "in the end" }]);
  });

  it("a waiting run whose provider is gone says so, and continues once it is back", async () => {
    const scratch = await databases.open();
    const first = await startLife([{ calls: [{ name: "slow" }] }], { scratch, tools: { slow: never } });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(() => first.ran.length === 1);
    await first.runs.get(id);
    scratch.db.raw.exec(
      "UPDATE Execution SET status = 'interrupted', errorKind = 'interrupted'; UPDATE Run SET status = 'waiting'",
    );
    const gone = {
      client: () => Promise.reject(new ChatClientError("auth", "no key")),
      price: () => null,
      endpoint: () => "gone",
      maxTools: () => null,
    };
    const second = await startLife([], { scratch, instanceId: "inst_2", ports: { models: gone } });
    await second.runs.load();
    await waitUntil(async () => (await second.runs.get(id)).status === "failed");
    expect((await second.runs.get(id)).error).toMatch(/^The run could not continue after its approval/);
    const third = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2" });
    await third.runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await third.runs.get(id)).status === "succeeded");
  });
});

describe("a run made again from a step", () => {
  it("answers from the record of that step on, not from before it, and counts only its own tokens", async () => {
    const scratch = await databases.open();
    let count = 0;
    const tick = async () => {
      count += 1;
      return String(count);
    };
    const usage = { inputTokens: 10, outputTokens: 1 };
    const ticking = { calls: [{ name: "tick" }], usage };
    const script = [ticking, ticking, { text: "End", usage }, ticking, { text: "End", usage }];
    const { runToEnd, runs } = await startLife(script, { scratch, tools: { tick } });
    const parent = await runToEnd("Go");
    const { id } = await runs.rerun(LOCAL_OWNER, { id: parent.id, fromStep: 2, results: "recorded" });
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    const child = await runs.get(id);
    expect(listResults(child.events).map(({ result }) => result)).toEqual(["1", "2"]);
    expect(child.usage.inputTokens).toBe(20);
    expect(count).toBe(2);
    expect(child.events[0]?.at).toBe((await runs.get(parent.id)).events[0]?.at);
  });

  it("a recorded one that was stopped continues from the record when it is resumed", async () => {
    const scratch = await databases.open();
    const echo = (n: number) => ({ calls: [{ name: "echo", arguments: { n } }] });
    const stopped = { text: "So", hang: true };
    const script = [echo(1), echo(2), { text: "End" }, echo(1), stopped, echo(2), { text: "End" }];
    const { runToEnd, runs, ran } = await startLife(script, { scratch });
    const parent = await runToEnd("Go");
    const { id } = await runs.rerun(LOCAL_OWNER, { id: parent.id, fromStep: 1, results: "recorded" });
    await waitUntil(async () => (await runs.get(id)).partial?.text === "So");
    await runs.stop(LOCAL_OWNER, id);
    await runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    expect(ran).toHaveLength(2);
  });
});

describe("a conversation that the provider holds", () => {
  it("AGT-10 is sent complete when the provider's name now means another service", async () => {
    const scratch = await databases.open();
    const first = await startLife([{ text: "One", conversationId: "c1" }], { scratch, endpoint: "openai" });
    const { id } = await first.runToEnd("First");
    const second = await startLife([{ text: "Two" }], { scratch, endpoint: "anthropic" });
    await second.runs.send(LOCAL_OWNER, id, "Second", undefined);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(second.model.requests[0]?.messages.map(readMessageText)).toEqual(["First", "One", "Second"]);
    expect(second.model.requests[0]?.options.conversationId).toBeUndefined();
  });

  it("AGT-10 is sent whole once when the provider no longer holds it", async () => {
    const scratch = await databases.open();
    const error = new ChatClientError("not_found", "Previous response not found");
    const { runToEnd, runs, model } = await startLife(
      [{ text: "One", conversationId: "c1" }, { error }, { text: "Two" }],
      { scratch },
    );
    const { id } = await runToEnd("First");
    await runs.send(LOCAL_OWNER, id, "Second", undefined);
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    expect(model.requests.slice(1).map(({ messages }) => messages.length)).toEqual([1, 3]);
  });
});

describe("runs of evals", () => {
  it("do not continue automatically: their tools are the check's own", async () => {
    const scratch = await databases.open();
    const { runs } = await startLife([{ text: "Hi" }], { scratch });
    const { id, ended } = await runs.starter.start({
      settings: SETTINGS,
      text: "Go",
      source: "check",
      actor: LOCAL_OWNER,
    });
    await ended;
    await expect(runs.send(LOCAL_OWNER, id, "More", undefined)).rejects.toThrow("is an attempt of an eval");
    await expect(runs.rerun(LOCAL_OWNER, { id, fromStep: 1, results: "live" })).rejects.toThrow(
      "is an attempt of an eval",
    );
  });
});
