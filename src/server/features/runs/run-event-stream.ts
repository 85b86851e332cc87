import { setTimeout as wait } from "node:timers/promises";
import type { ApiContext, WatchReader } from "../../platform/api/route";
import { EVENT_STREAM_HEADERS, HEARTBEAT_MS, SSE_COMMENT, toTextStream } from "../../platform/shared/responses";

/** A log changes a few times a second at most. */
const POLL_MS = 300;
const ACTIVE = new Set(["running", "waiting"]);

type Runs = Pick<ApiContext["services"]["runs"], "get" | "readLog">;

interface RunEventOptions {
  stopping: AbortSignal;
  watch: WatchReader;
  /** How long the stream may be silent. */
  heartbeatMs?: number;
}

/**
 * The events of a run as server-sent events until it ends, after `Last-Event-ID` where the request has one.
 * @throws AppError with the code NOT_FOUND before the stream begins
 */
export async function streamRunEvents(
  runs: Runs,
  id: string,
  request: Request,
  { stopping, watch, heartbeatMs = HEARTBEAT_MS }: RunEventOptions,
): Promise<Response> {
  await runs.get(id);
  const lastId = Number(request.headers.get("last-event-id") ?? -1);
  const last = Number.isInteger(lastId) ? lastId : -1;
  const lost = new AbortController();
  const stop = watch(() => lost.abort());
  request.signal.addEventListener("abort", stop);
  const signal = AbortSignal.any([request.signal, stopping, lost.signal]);
  const blocks = readBlocks(runs, id, last, { signal, heartbeatMs });
  return new Response(toTextStream(blocks, stop), { headers: EVENT_STREAM_HEADERS });
}

/** A comment at once, and wherever nothing comes for long; one block of text for each look at the log that finds something. */
async function* readBlocks(
  runs: Runs,
  id: string,
  after: number,
  { signal, heartbeatMs }: { signal: AbortSignal; heartbeatMs: number },
): AsyncGenerator<string, void> {
  yield SSE_COMMENT;
  let last = after;
  let sentAt = performance.now();
  while (!signal.aborted) {
    const run = await runs.get(id, { isFollowed: true });
    // The run's page has shortened texts; its log is read only when there is more of it.
    const { events: log } = run.eventCount > last + 1 ? await runs.readLog(id) : { events: [] };
    const events = log.filter(({ index }) => index > last);
    last = events.at(-1)?.index ?? last;
    const ended = !ACTIVE.has(run.status);
    const lines = events.map((event) => `id: ${event.index}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (ended) lines.push(`event: end\ndata: ${JSON.stringify({ status: run.status })}\n\n`);
    const isDue = performance.now() - sentAt >= heartbeatMs;
    if (lines.length > 0 || isDue) {
      yield lines.join("") || SSE_COMMENT;
      sentAt = performance.now();
    }
    if (ended) return;
    await wait(Math.min(POLL_MS, heartbeatMs), undefined, { signal }).catch(() => undefined);
  }
}
