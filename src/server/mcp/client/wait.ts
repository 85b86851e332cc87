import { setTimeout as delay } from "node:timers/promises";

/** Settles with `work`, or rejects with the signal's reason as soon as the signal aborts. */
export async function abortable<Value>(work: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits for `work`, but returns early when the signal aborts. */
export async function waitUntilAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) await work;
  else {
    await abortable(work, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** Resolves after `ms`, or early when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
