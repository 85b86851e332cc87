import { setTimeout as wait } from "node:timers/promises";
import type { ApiContext, WatchReader } from "../../platform/api/route";
import { toTextStream } from "../../platform/shared/responses";

type Runs = Pick<ApiContext["services"]["runs"], "get" | "readLog">;

/** A log changes a few times a second at most. */
const POLL_MS = 300;
const ACTIVE = new Set(["running", "waiting"]);

interface RunEventOptions {
  stopping: AbortSignal;
  watch: WatchReader;
}

/** @throws AppError with the code NOT_FOUND before the stream begins */
export async function streamRunEvents(
  runs: Runs,
  id: string,
  request: Request,
  { stopping, watch }: RunEventOptions,
): Promise<Response> {
  await runs.get(id);
  const lastId = Number(request.headers.get("last-event-id") ?? -1);
  const last = Number.isInteger(lastId) ? lastId : -1;
  const lost = new AbortController();
  const stop = watch(() => lost.abort());
  request.signal.addEventListener("abort", stop);
  const blocks = readBlocks(runs, id, last, AbortSignal.any([request.signal, stopping, lost.signal]));
  const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store, no-transform" };
  return new Response(toTextStream(blocks, stop), { headers });
}

/** One block of text for each look at the log that finds something. */
async function* readBlocks(runs: Runs, id: string, after: number, signal: AbortSignal): AsyncGenerator<string, void> {
  let last = after;
  while (!signal.aborted) {
    const run = await runs.get(id, { isFollowed: true });
    // The run's page has shortened texts; its log is read only when there is more of it.
    const { events: log } = run.eventCount > last + 1 ? await runs.readLog(id) : { events: [] };
    const events = log.filter(({ index }) => index > last);
    last = events.at(-1)?.index ?? last;
    const ended = !ACTIVE.has(run.status);
    const lines = events.map((event) => `id: ${event.index}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (ended) lines.push(`event: end\ndata: ${JSON.stringify({ status: run.status })}\n\n`);
    if (lines.length > 0) yield lines.join("");
    if (ended) return;
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
