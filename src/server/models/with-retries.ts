import { setTimeout as sleepFor } from "node:timers/promises";
import type { ChatResponseUpdate } from "../../lib/contract/chat";
import { ChatClientError } from "../engine/agent/chat-ports";

export interface RetryOptions {
  /** Requests in all, the first included. Default 4. */
  maxAttempts?: number;
  /** Rejects when the signal aborts. */
  sleep?: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  /** 0 to 1, for the jitter of a delay. */
  random?: () => number;
}

/** The fault of one request, and whether the same request may succeed later. */
export interface ChatFault {
  error: ChatClientError;
  retryable: boolean;
  /** The delay that the vendor requested. */
  retryAfterMs?: number;
}

export interface RetryPolicy {
  /** Converts an error of an attempt to a fault. */
  toFault: (error: unknown) => ChatFault;
  options?: RetryOptions | undefined;
  signal?: AbortSignal | undefined;
}

const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
const MAX_BACKOFF_MS = 8000;
/** The longest pause: when a vendor wants more, users see the error and decide. */
const MAX_RETRY_AFTER_MS = 60_000;

/** @throws ChatClientError after the last attempt, or at once where a retry cannot help; `aborted` once the signal aborts */
export async function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      throwIfAborted(policy.signal);
      return await attempt();
    } catch (error) {
      const retry = retryAfter(error, attempts, policy);
      await pause(retry.delayMs, policy.signal, policy.options?.sleep);
    }
  }
}

/**
 * Repeats attempts of a stream. Before each further request comes a `retry` update, which discards earlier thoughts and
 * half-written calls. Once text was passed on, a fault ends the stream: users have read it.
 * @throws ChatClientError like `withRetries`
 */
export async function* withStreamRetries(
  attempt: () => AsyncIterable<ChatResponseUpdate>,
  policy: RetryPolicy,
): AsyncGenerator<ChatResponseUpdate, void, undefined> {
  for (let attempts = 1; ; attempts += 1) {
    let begun = false;
    let retry: PlannedRetry;
    try {
      throwIfAborted(policy.signal);
      for await (const update of attempt()) {
        begun ||= update.type === "text" || update.type === "response";
        yield update;
      }
      return;
    } catch (error) {
      retry = retryAfter(error, begun ? Number.POSITIVE_INFINITY : attempts, policy);
    }
    yield { type: "retry", reason: retry.reason, delayMs: retry.delayMs };
    await pause(retry.delayMs, policy.signal, policy.options?.sleep);
  }
}

interface PlannedRetry {
  reason: string;
  delayMs: number;
}

/** The pause before a retry. @throws ChatClientError where no retry is allowed */
function retryAfter(error: unknown, attempts: number, { toFault, options, signal }: RetryPolicy): PlannedRetry {
  if (signal?.aborted) throw abortedError(signal.reason);
  const fault = error instanceof ChatClientError ? { error, retryable: false } : toFault(error);
  const { retryAfterMs } = fault as ChatFault;
  const patient = retryAfterMs === undefined || retryAfterMs <= MAX_RETRY_AFTER_MS;
  if (!fault.retryable || !patient || attempts >= (options?.maxAttempts ?? MAX_ATTEMPTS)) throw fault.error;
  return { reason: fault.error.message, delayMs: retryAfterMs ?? backoffMs(attempts, options?.random ?? Math.random) };
}

/** 0.5, 1, 2, 4, 8 s, less up to a quarter so that clients do not come back all at once. */
function backoffMs(attempts: number, random: () => number): number {
  const full = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS);
  return Math.round(full * (1 - random() / 4));
}

/** @throws ChatClientError of kind `aborted`, at once when the signal fires */
export async function pause(
  delayMs: number,
  signal: AbortSignal | undefined,
  sleep: NonNullable<RetryOptions["sleep"]> = sleepUntil,
): Promise<void> {
  try {
    await sleep(delayMs, signal);
  } catch (error) {
    throw abortedError(error);
  }
}

async function sleepUntil(delayMs: number, signal?: AbortSignal): Promise<void> {
  await sleepFor(delayMs, undefined, signal ? { signal } : {});
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(signal.reason);
}

export function abortedError(cause?: unknown): ChatClientError {
  return new ChatClientError("aborted", "The request to the model was stopped.", { cause });
}
