import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import {
  runDetailSchema,
  runDifferencesSchema,
  runFilterSchema,
  runSettingsSchema,
  runSummarySchema,
} from "../../../lib/contract/run";
import { buildTurns } from "../../../lib/run/build-turns";
import { compareRuns as alignRuns, listDifferences } from "../../../lib/run/compare-runs";
import { type ApiContext, defineRoute, type WatchReader } from "../../platform/api/route";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { AppError } from "../../platform/shared/app-error";
import { EVENT_STREAM_HEADERS, HEARTBEAT_MS, SSE_COMMENT, toTextStream } from "../../platform/shared/responses";

/** A log changes a few times a second at most. */
const POLL_MS = 300;
const ACTIVE = new Set(["running", "waiting"]);

/** Longer runs would hold up other requests while they are aligned. */
const MOST_COMPARED_EVENTS = 5_000;

const { status, source, provider, model, q } = runFilterSchema.shape;

const listRuns = defineRoute({
  method: "GET",
  path: "/runs",
  permission: "read",
  response: describePage(runSummarySchema),
  summary: "List runs, newest first",
  query: pageQuery.extend({ status, source, provider, model, q }),
  answer: async ({ services }, { query: { cursor, limit, ...filter } }) =>
    toPage(await services.runs.list(filter, cursor, limit)),
});

const startRun = defineRoute({
  method: "POST",
  path: "/runs",
  summary: "Start a run",
  permission: "run",
  status: 201,
  idempotent: "run",
  body: z.strictObject({ text: z.string().trim().min(1).max(1_000_000), settings: runSettingsSchema }),
  response: z.object({ id: z.string() }),
  async answer({ services: { runs }, actor }, { body, idempotency }) {
    if (idempotency === null) return await runs.start(actor, body);
    const { id, repeated } = idempotency;
    if (repeated && (await runs.has(id))) return { id };
    try {
      return await runs.start(actor, { ...body, id });
    } catch (error) {
      // The first request may have come to another copy of the server at the same time.
      if (repeated && (await runs.has(id))) return { id };
      throw error;
    }
  },
});

const getRun = defineRoute({
  method: "GET",
  path: "/runs/{id}",
  permission: "read",
  response: runDetailSchema,
  summary: "Get a run with its newest events",
  answer: ({ services }, { param }) => services.runs.get(param("id")),
});

const readEvents = defineRoute({
  method: "GET",
  path: "/runs/{id}/events",
  permission: "read",
  contentType: "text/event-stream",
  summary: "The events of a run as server-sent events, until the run ends. Resumes after `Last-Event-ID`",
  response: z.string(),
  answer: ({ services, stopping }, { param, request, watch }) =>
    streamRunEvents(services.runs, param("id"), request, { stopping, watch }),
});

const compareRuns = defineRoute({
  method: "GET",
  path: "/runs/{id}/compare",
  permission: "read",
  response: runDifferencesSchema,
  summary: "Compare a run with another one by aligned steps, and list what differs",
  query: z.object({ before: z.string().min(1).max(100).describe("The id of the run to compare with") }),
  async answer({ services: { runs } }, { param, query: { before } }) {
    const one = await readRun(before);
    const other = await readRun(param("id"));
    return { before: one.summary, after: other.summary, ...listDifferences(alignRuns(one.turns, other.turns)) };

    async function readRun(id: string) {
      const run = await runs.get(id);
      if (run.eventCount <= MOST_COMPARED_EVENTS) {
        return { summary: runSummarySchema.parse(run), turns: buildTurns((await runs.readLog(id)).events) };
      }
      throw new AppError(
        "INVALID",
        `Run '${id}' has more than ${MOST_COMPARED_EVENTS} events: compare it on the page /runs/compare?left=${before}&right=${param("id")}`,
      );
    }
  },
});

export const RUN_ROUTES = [listRuns, startRun, getRun, readEvents, compareRuns];

type Runs = Pick<ApiContext["services"]["runs"], "get" | "readLog">;

interface RunEventOptions {
  stopping: AbortSignal;
  watch: WatchReader;
  /** How long the stream may be silent. */
  heartbeatMs?: number;
}

/** @throws AppError with the code NOT_FOUND before the stream begins */
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
