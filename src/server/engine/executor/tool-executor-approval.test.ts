import { describe, expect, it, vi } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ApprovalAsk, ApprovalBroker, ApprovalResult } from "../approvals/approval-ports";
import { CallerLeft, ServerStopping } from "../failures";
import { engineWith, memoryJournal, mock, tool } from "./executor.test-support";

const YES: ApprovalResult = { approved: true, by: LOCAL_OWNER, at: 1, reason: null };

/** Asks for every tool whose hint is destructive, and answers as it is told. */
function deskThat(answer: (request: ApprovalAsk, signal: AbortSignal) => Promise<ApprovalResult>): ApprovalBroker {
  return {
    required: ({ annotations }) => annotations?.destructiveHint === true,
    ask: (request, signal) => {
      request.opened(1000);
      return answer(request, signal);
    },
  };
}
const never = (_request: ApprovalAsk, signal: AbortSignal): Promise<ApprovalResult> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

const destructive = (definition: ToolDefinition): ToolDefinition => ({
  ...definition,
  annotations: { destructiveHint: true },
});
const counting = () => {
  const run = vi.fn(() => "done");
  return { run, definition: destructive(tool("wipe", { type: "builtin", handler: "wipe" })) };
};

describe("a tool whose change waits for approval", () => {
  const REASON = "The definition of 'wipe' changed, waiting for approval";

  it("is refused before its arguments are checked, recorded once with the approved definition, and never runs", async () => {
    const run = vi.fn(() => "done");
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ builtins: { wipe: run }, journal });
    const definition = registry.register(tool("wipe", { type: "builtin", handler: "wipe" }));
    registry.hold("wipe", REASON);
    expect(await executor.execute("wipe", { not: "allowed" })).toMatchObject({
      success: false,
      error_kind: "definition_changed",
      error: REASON,
    });
    expect(rows).toMatchObject([{ phase: "record", start: { definition }, end: { errorKind: "definition_changed" } }]);
    expect(run).not.toHaveBeenCalled();
    registry.release("wipe");
    expect(await executor.execute("wipe", {})).toMatchObject({ success: true });
  });

  it("is refused under a name that nothing is registered for, without waiting for its server", async () => {
    const explainMissing = vi.fn(async () => "never asked");
    const { registry, executor } = engineWith({ explainMissing });
    registry.hold("files__new", "new");
    expect(await executor.execute("files__new", {})).toMatchObject({ error_kind: "definition_changed", error: "new" });
    expect(explainMissing).not.toHaveBeenCalled();
  });

  it("is refused after an approval that was requested before the change", async () => {
    const run = vi.fn(() => "done");
    const { registry, executor } = engineWith({
      builtins: { wipe: run },
      approvals: deskThat(async () => {
        registry.hold("wipe", REASON);
        return YES;
      }),
    });
    registry.register(destructive(tool("wipe", { type: "builtin", handler: "wipe" })));
    expect(await executor.execute("wipe", {})).toMatchObject({ error_kind: "definition_changed" });
    expect(run).not.toHaveBeenCalled();
  });
});

describe("the executor", () => {
  it("AGT-05 asks the broker before it runs, also without a journal", async () => {
    const { run, definition } = counting();
    const asked: ApprovalAsk[] = [];
    const approvals = deskThat(async (request) => {
      expect(run).not.toHaveBeenCalled();
      asked.push(request);
      return { ...YES, args: { edited: true } };
    });
    const { registry, executor } = engineWith({ builtins: { wipe: run }, approvals });
    registry.register(definition);
    expect(await executor.execute("wipe", { a: 1 }, { runId: "r", callId: "c" })).toMatchObject({ success: true });
    expect(asked).toMatchObject([{ args: { a: 1 }, runId: "r", callId: "c", actor: LOCAL_OWNER }]);
    expect(run).toHaveBeenCalledWith({ edited: true }, expect.anything());
  });

  it("AGT-05 leaves the broker alone for tools that do not ask, and asks it for every one that does", async () => {
    const ask = vi.fn(async () => YES);
    const { registry, executor } = engineWith({ approvals: deskThat(ask) });
    registry.register(mock("ping", "pong"));
    registry.register(destructive(mock("wipe", "gone")));
    await executor.execute("ping", {});
    expect(ask).not.toHaveBeenCalled();
    await executor.execute("wipe", {});
    await executor.execute("wipe", {}, { approval: YES });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it("AGT-05 refuses a tool that requires approval where no broker exists; a hint alone does not", async () => {
    const { rows, journal } = memoryJournal();
    const { run, definition } = counting();
    const { registry, executor } = engineWith({ builtins: { wipe: run }, journal });
    registry.register({ ...definition, approval: "always" });
    registry.register(destructive(mock("hinted", "ran")));
    expect(await executor.execute("wipe", {})).toMatchObject({
      status: "failed",
      error_kind: "rejected",
      error: expect.stringContaining("requires approval, which is not possible here"),
    });
    expect(run).not.toHaveBeenCalled();
    expect(rows.map(({ phase }) => phase)).toEqual(["record"]);
    expect(await executor.execute("hinted", {})).toMatchObject({ success: true });
  });

  it("AGT-05 writes the row as waiting, then as running, then its end", async () => {
    const { rows, journal } = memoryJournal();
    const { registry, executor } = engineWith({ journal, approvals: deskThat(async () => YES) });
    registry.register(destructive(mock("wipe", "gone")));
    await executor.execute("wipe", {});
    expect(rows.map(({ phase, start }) => [phase, start.waiting === true])).toEqual([
      ["begin", true],
      ["proceed", false],
      ["finish", false],
    ]);
  });

  it("AGT-05 a caller that waited to its limit gets approval_pending, and the row stays unchanged", async () => {
    const { rows, journal } = memoryJournal();
    const reasons: unknown[] = [];
    const approvals = deskThat((request, signal) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return never(request, signal);
    });
    const { registry, executor } = engineWith({ journal, approvals });
    registry.register(destructive(mock("wipe", "gone")));
    const waited: number[] = [];
    const envelope = await executor.execute(
      "wipe",
      {},
      { approvalWaitMs: 10, onWaiting: (at) => void waited.push(at) },
    );
    expect(envelope).toMatchObject({ success: false, status: "failed", error_kind: "approval_pending" });
    expect(envelope.success ? "" : envelope.error).toContain(envelope.execution_id);
    expect(waited).toEqual([1000]);
    expect(reasons).toMatchObject([{ name: "CallerLeft" }]);
    expect(rows.map(({ phase }) => phase)).toEqual(["begin"]);
  });

  it("AGT-05 a cancel ends the call; the end of the server and a caller that left do not", async () => {
    for (const { reason, kind, phases } of [
      { reason: new DOMException("x", "AbortError"), kind: "cancelled", phases: ["begin", "finish"] },
      { reason: new ServerStopping(), kind: "interrupted", phases: ["begin"] },
      { reason: new CallerLeft(), kind: "approval_pending", phases: ["begin"] },
    ]) {
      const { rows, journal } = memoryJournal();
      const { registry, executor } = engineWith({ journal, approvals: deskThat(never) });
      registry.register(destructive(mock("wipe", "gone")));
      const controller = new AbortController();
      const { signal } = controller;
      const envelope = await executor.execute("wipe", {}, { signal, onWaiting: () => controller.abort(reason) });
      expect(envelope).toMatchObject({ success: false, error_kind: kind });
      expect(rows.map(({ phase }) => phase)).toEqual(phases);
    }
  });

  it("AGT-05 does not run a tool when its approval could not be kept, or its row no longer waits", async () => {
    const { run, definition } = counting();
    const broken = deskThat(() => Promise.reject(new Error("the disk is full")));
    const first = engineWith({ builtins: { wipe: run }, approvals: broken });
    first.registry.register(definition);
    expect(await first.executor.execute("wipe", {})).toMatchObject({
      error_kind: "not_recorded",
      error: expect.stringContaining("the disk is full"),
    });
    const { journal, rows } = memoryJournal();
    const taken = { ...journal, proceed: async () => false };
    const second = engineWith({ builtins: { wipe: run }, approvals: deskThat(async () => YES), journal: taken });
    second.registry.register(definition);
    expect(await second.executor.execute("wipe", {})).toMatchObject({ error_kind: "not_recorded" });
    expect(rows.map(({ phase }) => phase)).toEqual(["begin"]);
    expect(run).not.toHaveBeenCalled();
  });

  it("AGT-05 edited arguments are checked like any others", async () => {
    const { run, definition } = counting();
    const approvals = deskThat(async () => ({ ...YES, args: { folder: 7 } }));
    const { registry, executor } = engineWith({ builtins: { wipe: run }, approvals });
    registry.register({
      ...definition,
      parameters: { type: "object", properties: { folder: { type: "string" } } },
    });
    expect(await executor.execute("wipe", { folder: "/a" })).toMatchObject({ error_kind: "invalid_arguments" });
    expect(run).not.toHaveBeenCalled();
  });

  it("AGT-05 a tool that only one call knows is validated and recorded, and asks only where it says so", async () => {
    const { rows, journal } = memoryJournal();
    const ask = vi.fn(async () => YES);
    const { executor } = engineWith({ journal, approvals: { required: () => true, ask } });
    const definition = tool("secret", { type: "function" }, { type: "object", required: ["a"] });
    const run = vi.fn(async ({ a }: Record<string, unknown>) => `got ${String(a)}`);
    const provided = { definition, run };
    expect(await executor.execute("secret", { a: 1 }, { provided })).toMatchObject({ result: "got 1" });
    expect(await executor.execute("secret", {}, { provided })).toMatchObject({ error_kind: "invalid_arguments" });
    expect(await executor.execute("secret", { a: 1 })).toMatchObject({ error_kind: "not_found" });
    expect(ask).not.toHaveBeenCalled();
    const asking = { definition: { ...definition, approval: "always" as const }, run };
    expect(await executor.execute("secret", { a: 1 }, { provided: asking })).toMatchObject({ success: true });
    expect(ask).toHaveBeenCalledTimes(1);
    const phases = ["begin", "finish", "record", "record", "begin", "proceed", "finish"];
    expect(rows.map(({ phase }) => phase)).toEqual(phases);
    expect(run).toHaveBeenCalledTimes(2);
  });
});
