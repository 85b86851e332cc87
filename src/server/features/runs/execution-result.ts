import type { FunctionCallContent, FunctionResultContent } from "../../../lib/contract/chat";
import type { ExecutionStatus } from "../../../lib/contract/envelope";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import type { RunEventBody } from "../../../lib/contract/run";
import { parseExact } from "../../../lib/json/exact-text";
import { asReceived } from "../../../lib/rules/received-execution";
import {
  exceptionResult,
  mediaOfResult,
  toFunctionResult,
  withEditedArguments,
  withNote,
} from "../../engine/agent/function-result";
import { describeReadResult } from "../../engine/lens/read-result";

const ERROR_PREFIX = /^Error: /;

/** The result of a stored execution as the model gets it. */
export function resultOfExecution(
  call: Pick<FunctionCallContent, "callId" | "name">,
  stored: ExecutionDetail,
): FunctionResultContent {
  const detail = asReceived(stored);
  const answer = buildAnswer(call, detail);
  const cut = answer.result !== undefined && (detail.modelView?.truncated || detail.modelView?.lens !== undefined);
  const told = cut ? { ...withNote(answer, describeReadResult(detail.id)), cut: true as const } : answer;
  const edited = detail.approval?.status === "approved" && detail.approval.requestedArgumentsText !== null;
  const result = edited ? withEditedArguments(told, detail.argumentsText) : told;
  return { ...result, durationMs: detail.durationMs ?? undefined };
}

function buildAnswer(
  call: Pick<FunctionCallContent, "callId" | "name">,
  detail: ExecutionDetail,
): FunctionResultContent {
  const asked: FunctionCallContent = { type: "function_call", callId: call.callId, name: call.name, arguments: "" };
  const executionId = detail.id;
  const said = detail.modelView?.text ?? "";
  if (detail.status === "interrupted" || detail.status === "running") {
    const message = "The server stopped while this call was running: it may or may not have taken effect";
    return { ...exceptionResult(asked, "interrupted", message), executionId };
  }
  if (detail.status !== "succeeded") {
    const kind = detail.errorKind ?? "unexpected";
    return { ...exceptionResult(asked, kind, said.replace(ERROR_PREFIX, "") || "The call failed"), executionId };
  }
  const maxChars = detail.modelView?.maxChars ?? 0;
  if (detail.modelView?.lens !== undefined) return projectedResult(asked, detail);
  if (detail.implementationType !== "mcp" || detail.resultTruncated || detail.definition === null) {
    return { type: "function_result", callId: call.callId, name: call.name, executionId, result: said };
  }
  const envelope = {
    success: true,
    result: parseExact(detail.resultText ?? "null"),
    status: "succeeded",
    tool_name: detail.toolName,
    execution_time_ms: detail.executionTimeMs ?? 0,
    execution_id: executionId,
  } as const;
  return toFunctionResult(asked, envelope, detail.definition, maxChars);
}

/** The text is the projection of the lens; media of the result stay. */
function projectedResult({ callId, name }: FunctionCallContent, detail: ExecutionDetail): FunctionResultContent {
  const text = detail.modelView?.text ?? "";
  const media = detail.implementationType === "mcp" ? mediaOfResult(JSON.parse(detail.resultText ?? "null")) : [];
  const items = media.length === 0 ? {} : { items: [{ type: "text" as const, text }, ...media] };
  return { type: "function_result", callId, name, executionId: detail.id, result: text, ...items };
}

/** Restores media that a run's log omits; where the execution no longer has them, the text names them. */
export async function withMedia(
  result: FunctionResultContent,
  executions: { get(id: string): Promise<ExecutionDetail> },
): Promise<FunctionResultContent> {
  const { items: _items, ...textOnly } = result;
  if (result.executionId === undefined) return textOnly;
  try {
    const { items } = resultOfExecution(result, await executions.get(result.executionId));
    return items === undefined ? textOnly : { ...textOnly, items };
  } catch {
    return textOnly;
  }
}

/** The log's entry for a result; media stay in the execution's row. */
export function finishedCall(
  step: number,
  { durationMs, ...result }: FunctionResultContent,
  recorded = false,
): Extract<RunEventBody, { type: "tool_finished" }> {
  const { callId, name, items } = result;
  const light = items?.map((item) => (item.type === "media" ? { ...item, data: "" } : item));
  return {
    type: "tool_finished",
    step,
    callId,
    name,
    result: light === undefined ? result : { ...result, items: light },
    status: getStatus(result),
    executionId: result.executionId ?? null,
    durationMs: durationMs ?? null,
    ...(recorded ? { recorded } : {}),
  };
}

function getStatus({ exception }: FunctionResultContent): ExecutionStatus {
  switch (exception?.kind) {
    case undefined:
      return "succeeded";
    case "cancelled":
      return "cancelled";
    case "timeout":
      return "timed_out";
    case "interrupted":
      return "interrupted";
    default:
      return "failed";
  }
}
