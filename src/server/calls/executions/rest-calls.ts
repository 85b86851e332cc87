import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { Principal } from "../../../lib/contract/access";
import { type ExecutionDetail, executionDetailSchema } from "../../../lib/contract/execution";
import { findRetryTime } from "../../../lib/rules/limit-note";
import { asReceived } from "../../../lib/rules/received-execution";
import { AppError, findAppError, invalidInput } from "../../platform/shared/app-error";

interface Executions {
  /** @throws AppError NOT_FOUND */
  get(id: string): Promise<ExecutionDetail>;
}

/** The id that the `Idempotency-Key` of a request identifies. */
interface KeyedId {
  id: string;
  /** Whether an earlier request came with the key. */
  repeated: boolean;
}

interface SentCall {
  executions: Executions;
  principal: Principal;
  /** The parts of the REST request. */
  sent: { idempotency: KeyedId | null; request: Pick<Request, "signal"> };
}

/** The options of a call that a program makes. */
interface ProgramCall {
  unmasked: true;
  tokenId: string | undefined;
  isCallerGone: () => boolean;
  executionId: string | undefined;
}

/**
 * Runs the call of a REST request.
 * @throws AppError where the request names its execution in two ways
 */
export async function runSent(
  { executions, principal, sent }: SentCall,
  { waitMs, executionId: ownId }: { waitMs?: number | undefined; executionId?: string | undefined },
  run: (call: ProgramCall) => Promise<ExecutionDetail>,
): Promise<ExecutionDetail> {
  const { idempotency, request } = sent;
  if (idempotency !== null && ownId !== undefined) {
    throw invalidInput("", [{ path: "executionId", message: "cannot be sent with an Idempotency-Key" }], " ");
  }
  const call = {
    unmasked: true,
    tokenId: principal.token?.id,
    isCallerGone: () => request.signal.aborted,
  } as const;
  if (idempotency === null) return await run({ ...call, executionId: ownId });
  return await runOnce(executions, idempotency, waitMs, () => run({ ...call, executionId: idempotency.id }));
}

const DEFAULT_WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/**
 * Runs a call once for each `Idempotency-Key`: a repeated request answers with the execution of the first one, and waits
 * for it as the first one does.
 */
async function runOnce(
  executions: Executions,
  key: KeyedId,
  waitMs: number | undefined,
  run: () => Promise<ExecutionDetail>,
): Promise<ExecutionDetail> {
  const until = performance.now() + (waitMs ?? DEFAULT_WAIT_MS);
  if (!key.repeated || (await findExecution(executions, key.id)) === null) {
    // A repeated request runs the call where the first one was refused, or its server ended before the call was recorded:
    // it may overtake a first one that is still on its way, on another instance of the server.
    try {
      return await run();
    } catch (error) {
      if (!(await isTaken(executions, key.id, error))) throw error;
    }
  }
  for (;;) {
    const execution = await findExecution(executions, key.id);
    if (execution !== null && execution.status !== "running") return asReceived(execution);
    if (performance.now() < until) await wait(LOOK_AGAIN_MS);
    else if (execution !== null) return execution;
    else throw new AppError("CONFLICT", "Idempotency-Key: the first request with this key is still being started");
  }
}

/** Whether a call was refused since the first request runs it: in this process, or recorded by another instance of the server. */
async function isTaken(executions: Executions, id: string, error: unknown): Promise<boolean> {
  const code = findAppError(error)?.code;
  return code === "CONFLICT" || (code === "UNAVAILABLE" && (await findExecution(executions, id)) !== null);
}

async function findExecution(executions: Executions, id: string): Promise<ExecutionDetail | null> {
  try {
    return await executions.get(id);
  } catch (error) {
    if (findAppError(error)?.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** An execution as programs get it: with its result as JSON in place of text. */
export const executionResponseSchema = executionDetailSchema.omit({ resultText: true }).extend({
  result: z.unknown().describe("Null without a result, and for one that was cut when it was stored"),
  resultStart: z.string().nullable().describe("The beginning of a result that was cut when it was stored"),
});

/**
 * An execution with its result as JSON, byte for byte as it is kept: parsed it would lose digits of long numbers.
 * A result that was cut when it was stored is no JSON: `result` is null and `resultStart` has its beginning.
 */
export function toExecutionText(execution: ExecutionDetail): string {
  const { resultText } = execution;
  const isCut = execution.resultTruncated && resultText !== null;
  const rest = stringifyRest(execution);
  const start = isCut ? JSON.stringify(resultText) : "null";
  const result = isCut ? "null" : (resultText ?? "null");
  return `${rest.slice(0, -1)},"resultStart":${start},"result":${result}}`;
}

/** The JSON of an execution without its result, which is taken out for the moment: copying the other fields takes longer than writing them. */
function stringifyRest(execution: Omit<ExecutionDetail, "resultText"> & { resultText?: string | null }): string {
  const { resultText } = execution;
  execution.resultText = undefined;
  const text = JSON.stringify(execution);
  execution.resultText = resultText;
  return text;
}

export function toExecutionResponse(execution: ExecutionDetail): Response {
  return new Response(toExecutionText(execution), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** The answer to a request that made the call: where a limit denied it, with the seconds after which there is room again. */
export function toCallResponse(execution: ExecutionDetail): Response {
  const response = toExecutionResponse(execution);
  const retryAt = findRetryTime(execution.ruleMatches);
  if (retryAt !== null)
    response.headers.set("retry-after", String(Math.max(Math.ceil((retryAt - Date.now()) / 1000), 0)));
  return response;
}
