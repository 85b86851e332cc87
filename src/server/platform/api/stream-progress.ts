import { setTimeout as delay } from "node:timers/promises";
import { TRPCError } from "@trpc/server";

const EVERY_MS = 250;

/**
 * The latest progress of `work` while it runs, then its result. `report` throws once the reader has left, which ends the work.
 * Errors before the first progress reject the call itself, so that refusals keep their message.
 */
export async function streamProgress<Progress, Result>(
  left: AbortSignal | undefined,
  work: (report: (progress: Progress) => void) => Promise<Result>,
): Promise<AsyncGenerator<{ progress: Progress } | { result: Result }, void>> {
  let latest: Progress | null = null;
  const working = work((progress) => {
    if (left?.aborted) throw new TRPCError({ code: "CLIENT_CLOSED_REQUEST", message: "The caller disconnected" });
    latest = progress;
  });
  const ended = working.then((result) => ({ result }));
  const waitForNext = () => Promise.race([ended, delay(EVERY_MS, null, { ref: false })]);
  const first = await waitForNext();
  return (async function* (): AsyncGenerator<{ progress: Progress } | { result: Result }, void> {
    for (let next = first; ; next = await waitForNext()) {
      if (next !== null) return yield next;
      if (latest !== null) yield { progress: latest };
    }
  })();
}
