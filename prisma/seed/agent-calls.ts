import type { ExecutionEnvelope, FailureEnvelope, ToolDefinition } from "../../src/lib/contract";
import { describeFaults, requiredParameters } from "../../src/server/engine/argument-faults";
import { DEFAULT_LIMITS } from "../../src/server/engine/execution-limits";
import { failureText } from "../../src/server/engine/output-limits";
import type { ArgumentValidator, ExecutionEnd, ExecutionStart } from "../../src/server/engine/ports";
import { validateArguments } from "../../src/server/engine/validate-arguments";
import { aborted, type FailureVerdict, failure, interrupted, notApproved } from "../../src/server/engine/verdict";
import type { ApprovalStore } from "../../src/server/features/approvals/approval-store";
import type { ExecutionStore } from "../../src/server/features/executions/execution-store";
import type { CallOrigin, PlannedDecision, PlannedToolCall } from "./agent-plan";

const APPROVAL_EXPIRY_MS = 86_400_000;
const VALIDATE_MS = 0.074;
const RECORD_MS = 0.512;

export interface WrittenCall {
  /** Null while it waits, and where its server ended in the middle of it. */
  envelope: ExecutionEnvelope | null;
  definition: ToolDefinition | null;
  /** From the call to its end, a person's time included. */
  tookMs: number;
  /** Of that, its run. */
  ranMs: number;
}

interface CallPorts {
  logbook: ExecutionStore;
  approvals: ApprovalStore;
  validator: ArgumentValidator;
  definitions: ReadonlyMap<string, ToolDefinition>;
}

/** Keeps a call of the past as the executor would have: its row, its approval, and the envelope its caller got. */
export function createCallWriter({ logbook, approvals, validator, definitions }: CallPorts) {
  /** Null where the arguments fit, and for an unknown tool. */
  async function refusalOf(
    { args }: PlannedToolCall,
    definition: ToolDefinition | null,
  ): Promise<FailureVerdict | null> {
    if (definition === null) return null;
    const refusal = await validateArguments(validator, definition.parameters, args, DEFAULT_LIMITS);
    if (refusal === null) return null;
    return {
      ...failure("invalid_arguments", describeFaults(refusal.faults, refusal.unlisted)),
      faults: refusal.faults,
      required_parameters: requiredParameters(definition.parameters),
    };
  }

  async function keepApproval(call: PlannedToolCall, start: ExecutionStart): Promise<void> {
    const { approval } = call;
    if (approval === undefined) return;
    await logbook.begin({ ...start, waiting: true });
    const { id: executionId, queuedAt } = start;
    await approvals.open({ executionId, requestedAt: queuedAt, expiresAt: queuedAt + APPROVAL_EXPIRY_MS });
    if (approval === "open") return;
    const { verdict: status, by, reason = null, waitedMs, edited } = approval;
    const editedText = edited === undefined ? undefined : JSON.stringify(edited);
    await approvals.decide({ executionId, status, decidedAt: queuedAt + waitedMs, by, reason, editedText });
    if (status === "approved") await logbook.proceed(start, { startedAt: queuedAt + waitedMs });
  }

  return {
    async write(call: PlannedToolCall, id: string, at: number, origin: CallOrigin): Promise<WrittenCall> {
      const definition = call.provided ?? definitions.get(call.tool) ?? null;
      const refusal = await refusalOf(call, definition);
      const start = startOf(call, id, at, origin, definition);
      await keepApproval(call, start);
      if (call.approval === "open") return { envelope: null, definition, tookMs: 0, ranMs: 0 };
      const waitedMs = call.approval?.waitedMs ?? 0;
      const ran = refusal === null && (call.approval === undefined || call.approval.verdict === "approved");
      const verdict = refusal ?? failureOf(call);
      const end = endOf(call, start, verdict, { waitedMs, runMs: ran ? call.ms : null });
      if (call.approval === undefined) await logbook.record(start, end);
      else await logbook.finish(start, end);
      const common = { tool_name: call.tool, execution_time_ms: end.executionTimeMs, execution_id: id };
      const envelope: ExecutionEnvelope =
        verdict === null
          ? { success: true, status: "succeeded", result: call.result ?? null, ...common }
          : { ...verdict, ...common };
      const ranMs = ran ? call.ms : 0;
      return { envelope: call.interrupted ? null : envelope, definition, tookMs: waitedMs + ranMs, ranMs };
    },
  };
}

function failureOf({ tool, error, approval, interrupted: cut }: PlannedToolCall): FailureVerdict | null {
  if (approval !== undefined && approval !== "open" && approval.verdict !== "approved") return unapproved(approval);
  if (cut === true) return interrupted("the server ended while this call was running");
  if (error === undefined) return null;
  if (error.kind === "timeout") {
    const limit: FailureEnvelope["limit"] = { name: "timeout", value: 20_000, unit: "ms", setBy: "tool" };
    return { ...failure("timeout", error.message), status: "timed_out", limit };
  }
  if (error.kind === "cancelled") return aborted(undefined);
  return failure(error.kind, error.kind === "not_found" ? `Tool '${tool}' not found` : error.message);
}

function unapproved({ verdict, by, reason: said, waitedMs }: PlannedDecision): FailureVerdict {
  if (verdict === "withdrawn") return aborted(undefined);
  const reason = said ?? null;
  const kind = verdict === "expired" ? "approval_expired" : "rejected";
  return notApproved({ approved: false, kind, by, at: 0, reason, ...(verdict === "expired" ? { waitedMs } : {}) });
}

function startOf(
  call: PlannedToolCall,
  id: string,
  at: number,
  origin: CallOrigin,
  definition: ToolDefinition | null,
): ExecutionStart {
  return {
    ...origin,
    id,
    toolName: call.tool,
    definition,
    implementationType: definition?.implementation.type ?? null,
    protocol: null,
    serverName: null,
    argumentsText: JSON.stringify(call.args),
    queuedAt: at,
    validateMs: VALIDATE_MS,
    timeoutMs: definition?.timeout_ms ?? DEFAULT_LIMITS.timeoutMs,
    validationSkipped: false,
    parentId: null,
  };
}

function endOf(
  { result = null }: PlannedToolCall,
  { id, queuedAt }: ExecutionStart,
  verdict: FailureVerdict | null,
  { waitedMs, runMs }: { waitedMs: number; runMs: number | null },
): ExecutionEnd {
  const resultText = verdict === null ? JSON.stringify(result) : null;
  const bytes = resultText === null ? null : Buffer.byteLength(resultText);
  const modelText =
    verdict === null ? (typeof result === "string" ? result : (resultText ?? "")) : failureText(verdict);
  const startedAt = runMs === null ? null : Math.round(queuedAt + waitedMs + RECORD_MS);
  return {
    id,
    status: verdict === null ? "succeeded" : verdict.status,
    resultText,
    resultTruncated: false,
    resultBytes: bytes,
    storedBytes: bytes,
    modelChars: Math.min(modelText.length, DEFAULT_LIMITS.maxModelChars),
    resultChars: modelText.length,
    error: verdict?.error ?? null,
    errorKind: verdict?.error_kind ?? null,
    faults: verdict?.faults ?? null,
    limit: verdict?.limit ?? null,
    startedAt,
    finishedAt: Math.round(queuedAt + waitedMs + RECORD_MS + (runMs ?? 0)),
    executionTimeMs: VALIDATE_MS + (runMs ?? 0),
    recordMs: runMs === null ? null : RECORD_MS,
    runMs,
    logs: null,
  };
}
