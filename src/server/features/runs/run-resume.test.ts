import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { FunctionResultContent } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { buildMessages } from "../../../lib/run/build-messages";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ApprovalBroker, ApprovalResult } from "../../engine/approvals/approval-ports";
import { SETTINGS, scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());
const never = () => new Promise<string>(() => undefined);
const listResults = (events: readonly RunEvent[]): FunctionResultContent[] =>
  buildMessages(events).flatMap(({ contents }) => contents.filter((content) => content.type === "function_result"));

/** A broker whose user answers when told to. */
function slowBroker(): { broker: ApprovalBroker; decide: (verdict: ApprovalResult) => void } {
  let decide = (_: ApprovalResult): void => {};
  const broker: ApprovalBroker = {
    required: ({ name }) => name === "echo",
    ask: (request, signal) =>
      new Promise((resolve, reject) => {
        request.opened(Date.now() + 1000);
        decide = resolve;
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
  };
  return { broker, decide: (verdict) => decide(verdict) };
}

describe("stopping", () => {
  it("AGT-11 a stop in the middle of an answer ends it at once and keeps what was said", async () => {
    const scratch = await databases.open();
    const { runs } = await startLife([{ text: "Once upon a time", hang: true }], { scratch });
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Tell" });
    await waitUntil(async () => (await runs.get(id)).partial?.text === "Once upon a time");
    expect(await runs.stop(LOCAL_OWNER, id)).toEqual({ stopped: true });
    const run = await runs.get(id);
    expect(run).toMatchObject({ status: "cancelled", partial: null, resumable: true });
    expect(run.events.at(-2)).toMatchObject({ type: "model_finished", partial: true });
    expect(await runs.stop(LOCAL_OWNER, id)).toEqual({ stopped: false });
  });

  it("a stop during a call cancels the call, gives it its result, and asks the model no more", async () => {
    const scratch = await databases.open();
    const { runs, model, executions } = await startLife([{ calls: [{ name: "slow" }] }], {
      scratch,
      tools: { slow: never },
    });
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await runs.get(id)).events.some(({ type }) => type === "tool_started"));
    await runs.stop(LOCAL_OWNER, id);
    const { events } = await runs.get(id);
    expect(listResults(events)).toMatchObject([{ exception: { kind: "cancelled" } }]);
    expect((await executions.list({}, undefined, 10)).items).toMatchObject([{ status: "cancelled", runId: id }]);
    expect(model.requests).toHaveLength(1);
  });
});

describe("a run that another user continues", () => {
  const ADA = { id: "ada", name: "Ada" };
  const BOB = { id: "bob", name: "Bob" };
  const call = { calls: [{ name: "echo" }] };
  const end = { text: "Done" };

  it("makes its calls for the sender of the message, and for nobody else's credential or approval", async () => {
    const scratch = await databases.open();
    const { runs, executions } = await startLife([call, end, call, end, call, end, call, end], { scratch });
    const { id } = await runs.start(ADA, { settings: SETTINGS, text: "One" });
    const ended = () => waitUntil(async () => (await runs.get(id)).status === "succeeded");
    await ended();
    await runs.send(BOB, id, "Two", undefined);
    await ended();
    await runs.send(ADA, id, "Three", undefined);
    await ended();
    const callers = async (runId: string) => {
      const { items } = await executions.list({}, undefined, 10);
      return items.filter((each) => each.runId === runId).map(({ actor }) => actor.id);
    };
    expect((await callers(id)).reverse()).toEqual(["ada", "bob", "ada"]);
    expect((await runs.get(id)).actor).toEqual(ADA);
    // The copied messages of others count for nothing in a run of one's own.
    const rerun = await runs.rerun(BOB, { id, fromStep: 5, results: "live" });
    await waitUntil(async () => (await runs.get(rerun.id)).status === "succeeded");
    expect(await callers(rerun.id)).toEqual(["bob"]);
  });
});

describe("a process that dies", () => {
  it("leaves a run that is marked interrupted by the next one, and resumed without running a finished call twice", async () => {
    const scratch = await databases.open();
    const calls = [{ name: "echo", arguments: { n: 1 } }, { name: "slow" }];
    const first = await startLife([{ calls }], { scratch, tools: { slow: never } });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await first.runs.get(id)).events.some(({ type }) => type === "tool_finished"));
    await waitUntil(() => first.ran.length === 2);

    // As the next process marks what a dead one left running.
    scratch.db.raw.exec(
      "UPDATE Execution SET status = 'interrupted', errorKind = 'interrupted' WHERE status = 'running'",
    );
    // The second life begins while the first is still in the middle of it, as after a kill.
    const second = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2", tools: { slow: never } });
    await second.runs.load();
    expect(await second.runs.get(id)).toMatchObject({ status: "interrupted", resumable: true });
    await second.runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(second.ran).toEqual([]);
    const { events } = await second.runs.get(id);
    expect(listResults(events)).toMatchObject([
      { result: '{"n":1}' },
      { exception: { kind: "interrupted", message: expect.stringContaining("may or may not have taken effect") } },
    ]);
    expect(second.model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("before a call began, lets that call run when the run is resumed", async () => {
    const scratch = await databases.open();
    const first = await startLife([{ calls: [{ name: "echo" }] }], {
      scratch,
      ports: { executor: { execute: () => new Promise(() => {}) } },
    });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await first.runs.get(id)).events.some(({ type }) => type === "tool_started"));
    const second = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2" });
    await second.runs.load();
    await second.runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(second.ran).toEqual(["echo {}"]);
  });

  it("another message in place of resuming discards the calls that never began", async () => {
    const scratch = await databases.open();
    const first = await startLife([{ calls: [{ name: "echo" }] }], {
      scratch,
      ports: { executor: { execute: () => new Promise(() => {}) } },
    });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await first.runs.get(id)).events.some(({ type }) => type === "tool_started"));
    const second = await startLife([{ text: "Fine" }], { scratch, instanceId: "inst_2" });
    await second.runs.load();
    await second.runs.send(LOCAL_OWNER, id, "Never mind", undefined);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(second.ran).toEqual([]);
    expect(second.model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  it("a server that stops in good order interrupts the run; calls have their time of grace first", async () => {
    const scratch = await databases.open();
    let finish = (_: string): void => {};
    const slow = () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      });
    const { runs, executions, ran } = await startLife([{ calls: [{ name: "slow" }] }], { scratch, tools: { slow } });
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(() => ran.length === 1);
    runs.beginStop();
    const stopped = executions.stop(5000);
    finish("in time");
    await stopped;
    await runs.ended();
    const later = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2" });
    const run = await later.runs.get(id);
    expect(run).toMatchObject({ status: "interrupted" });
    expect(listResults(run.events)).toMatchObject([{ result: "in time" }]);
    await later.runs.resume(LOCAL_OWNER, id);
    await waitUntil(async () => (await later.runs.get(id)).status === "succeeded");
  });
});

describe("approval", () => {
  it("AGT-05 a run waits while an approval is open, and continues once it is approved", async () => {
    const scratch = await databases.open();
    const { broker, decide } = slowBroker();
    const { runs } = await startLife([{ calls: [{ name: "echo" }] }, { text: "Done" }], {
      scratch,
      broker,
      ports: { requiresApproval: broker.required },
    });
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await runs.list({}, undefined, 1)).items[0]?.status === "waiting");
    await waitUntil(async () => (await runs.get(id)).waiting === 1);
    decide({ approved: true, by: LOCAL_OWNER, at: Date.now(), reason: null });
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    const types = (await runs.get(id)).events.map(({ type }) => type);
    expect(types.slice(3, 7)).toEqual(["tool_started", "approval_requested", "approval_granted", "tool_finished"]);
  });

  it("AGT-03 AGT-05 a call with invalid arguments of a tool that requires approval never waits", async () => {
    const scratch = await databases.open();
    const { broker } = slowBroker();
    const { runToEnd, runs, published } = await startLife(
      [{ calls: [{ name: "echo", arguments: "[1]" }] }, { text: "Done" }],
      { scratch, broker, ports: { requiresApproval: broker.required } },
    );
    const { id } = await runToEnd("Go");
    const { events, status } = await runs.get(id);
    expect(status).toBe("succeeded");
    expect(listResults(events)).toMatchObject([{ exception: { kind: "invalid_arguments" } }]);
    expect(events.some(({ type }) => type === "approval_requested")).toBe(false);
    expect(published.some((event) => event.type === "run" && event.run.status === "waiting")).toBe(false);
  });

  it("AGT-05 a waiting run keeps waiting over a restart, and continues automatically once its approval is decided", async () => {
    const scratch = await databases.open();
    const { broker } = slowBroker();
    const first = await startLife([{ calls: [{ name: "echo", arguments: { n: 1 } }] }], {
      scratch,
      broker,
      ports: { requiresApproval: broker.required },
    });
    const { id } = await first.runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    await waitUntil(async () => (await first.runs.get(id)).waiting === 1);
    first.runs.beginStop();
    await first.executions.stop(0);
    await first.runs.ended();

    const second = await startLife([{ text: "Done" }], { scratch, instanceId: "inst_2" });
    await second.runs.load();
    expect(await second.runs.get(id)).toMatchObject({ status: "waiting", waiting: 1 });
    await expect(second.runs.resume(LOCAL_OWNER, id)).rejects.toThrow("This run waits for approval");
    const [execution] = await second.executionStore.findByRun(id);
    await second.executions.execute(
      "echo",
      { n: 1 },
      {
        executionId: execution?.id ?? "",
        waiting: true,
        approval: { approved: true, by: LOCAL_OWNER, at: Date.now(), reason: null },
        runId: id,
        callId: "call_1",
      },
    );
    await second.runs.decided(id);
    await waitUntil(async () => (await second.runs.get(id)).status === "succeeded");
    expect(second.ran).toEqual(['echo {"n":1}']);
    expect(listResults((await second.runs.get(id)).events)).toMatchObject([{ result: '{"n":1}' }]);
  });
});

describe("again from a step", () => {
  it("keeps the log before it, asks the model again, and answers the same calls from the record", async () => {
    const scratch = await databases.open();
    const script = [
      { calls: [{ name: "echo", arguments: { n: 1 } }] },
      { calls: [{ name: "echo", arguments: { n: 2 } }] },
      { text: "First end" },
      {
        calls: [
          { name: "echo", arguments: '{ "n": 2 }' },
          { name: "echo", arguments: { n: 3 } },
        ],
      },
      { text: "Other end" },
    ];
    const { runToEnd, runs, ran } = await startLife(script, { scratch });
    const parent = await runToEnd("Go");
    const { id } = await runs.rerun(LOCAL_OWNER, { id: parent.id, fromStep: 2, results: "recorded" });
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    expect(ran).toEqual(['echo {"n":1}', 'echo {"n":2}', 'echo {"n":3}']);
    const child = await runs.get(id);
    expect(child).toMatchObject({ parentId: parent.id, parentStep: 2, modelCalls: 2, toolCalls: 2 });
    expect(
      child.events.filter((event) => event.type === "tool_finished").map((event) => event.recorded ?? false),
    ).toEqual([false, true, false]);
    expect((await runs.get(parent.id)).children).toMatchObject([{ id, parentStep: 2 }]);
    await expect(runs.rerun(LOCAL_OWNER, { id, fromStep: 9, results: "live" })).rejects.toThrow("no model call 9");
    const edited = { id, fromStep: 2, results: "live", text: "other" } as const;
    await expect(runs.rerun(LOCAL_OWNER, edited)).rejects.toThrow(/^text: only the step that answers a message/);
  });

  it("replaces the message that the step answers, and no other", async () => {
    const scratch = await databases.open();
    const { runToEnd, runs, model } = await startLife([{ text: "First" }, { text: "Other" }], { scratch });
    const parent = await runToEnd("Go");
    const { id } = await runs.rerun(LOCAL_OWNER, {
      id: parent.id,
      fromStep: 1,
      results: "recorded",
      text: "Come back",
    });
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    const child = await runs.get(id);
    expect(child).toMatchObject({ title: "Come back", parentId: parent.id });
    expect(child.events[0]).toMatchObject({
      type: "user_message",
      message: { contents: [{ type: "text", text: "Come back" }] },
    });
    expect((await runs.get(parent.id)).title).toBe("Go");
    expect(model.requests).toHaveLength(2);
  });

  it("with live results runs the calls again", async () => {
    const scratch = await databases.open();
    const same = { calls: [{ name: "echo", arguments: { n: 1 } }] };
    const { runToEnd, runs, ran } = await startLife([same, { text: "End" }, same, { text: "End" }], { scratch });
    const parent = await runToEnd("Go");
    const { id } = await runs.rerun(LOCAL_OWNER, { id: parent.id, fromStep: 1, results: "live" });
    await waitUntil(async () => (await runs.get(id)).status === "succeeded");
    expect(ran).toHaveLength(2);
  });
});
