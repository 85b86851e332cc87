import type { ExecutionEnvelope } from "../../src/lib/contract/envelope";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { aborted, type CallFailure, notApproved } from "../../src/server/engine/executor/call-outcome";
import { type CallOrigin, toRefusal, toRows, toVerdict } from "./past-calls";
import type { PastCall, PastDecision } from "./read-stories";
import type { PastPorts, SeedContext } from "./seed-context";

const APPROVAL_EXPIRY_MS = 86_400_000;

export interface WrittenCall {
  /** Null while it waits, and where its server ended in the middle of it. */
  envelope: ExecutionEnvelope | null;
  definition: ToolDefinition | null;
  /** From the call to its end, a user's time included. */
  tookMs: number;
}

interface CallPorts extends Pick<PastPorts, "validator">, Pick<SeedContext, "queueCall"> {
  definitions: ReadonlyMap<string, ToolDefinition>;
}

/** Queues a call of the past, its row and its approval, and returns the envelope its caller got. */
export function createCallWriter({ validator, definitions, queueCall }: CallPorts) {
  return async function writeCall(call: PastCall, id: string, at: number, origin: CallOrigin): Promise<WrittenCall> {
    const { tool, args, approval, error, ms } = call;
    const definition = call.provided ?? definitions.get(tool) ?? null;
    const refusal = await toRefusal(validator, definition, args);
    const denial = approval === undefined ? null : toDenial(approval);
    const verdict = refusal ?? denial ?? (error === undefined ? null : toVerdict(error, tool, definition));
    const runMs = refusal === null && denial === null ? ms : null;
    const waitedMs = approval?.waitedMs ?? 0;
    const { start, end, envelope } = toRows({
      id,
      at,
      tool,
      definition,
      origin,
      waitedMs,
      runMs,
      verdict,
      validateMs: 0.074,
      recordMs: 0.512,
      argumentsText: JSON.stringify(args),
      result: call.result,
    });
    queueCall(at, async ({ executions, approvals }) => {
      if (approval === undefined) return executions.record(start, end);
      await executions.begin({ ...start, waiting: true });
      await approvals.open({ executionId: id, requestedAt: at, expiresAt: at + APPROVAL_EXPIRY_MS, mode: null });
      if (approval.verdict === "open") return;
      const { verdict: status, by, reason, edited } = approval;
      const editedText = edited === null ? undefined : JSON.stringify(edited);
      await approvals.decide({ executionId: id, status, decidedAt: at + waitedMs, by, reason, editedText });
      if (status === "approved") await executions.proceed(start, { startedAt: at + waitedMs });
      await executions.finish(start, end);
    });
    if (approval?.verdict === "open") return { envelope: null, definition, tookMs: 0 };
    const cut = error?.kind === "interrupted";
    return { envelope: cut ? null : envelope, definition, tookMs: waitedMs + (runMs ?? 0) };
  };
}

/** Null for a call that was approved or still waits. */
function toDenial({ verdict, by, reason, waitedMs }: PastDecision): CallFailure | null {
  if (verdict === "withdrawn") return aborted(undefined);
  if (verdict === "rejected") return notApproved({ approved: false, kind: "rejected", by, at: 0, reason });
  if (verdict !== "expired") return null;
  return notApproved({ approved: false, kind: "approval_expired", by, at: 0, reason, waitedMs });
}
