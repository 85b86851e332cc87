import { z } from "zod";
import { runDetailSchema, runFilterSchema, runSettingsSchema, runSummarySchema } from "../../../lib/contract/run";
import { defineRoute } from "../../platform/api/route";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { streamRunEvents } from "./run-events";

const { status, source, provider, model, q } = runFilterSchema.shape;

const listRuns = defineRoute({
  ...{ method: "GET", path: "/runs", permission: "read", response: describePage(runSummarySchema) },
  summary: "List runs, newest first",
  query: pageQuery.extend({ status, source, provider, model, q }),
  answer: async ({ services }, { query: { cursor, limit, ...filter } }) =>
    toPage(await services.runs.list(filter, cursor, limit)),
});

const startRun = defineRoute({
  ...{ method: "POST", path: "/runs", summary: "Start a run", permission: "run", status: 201, idempotent: "run" },
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
  ...{ method: "GET", path: "/runs/{id}", permission: "read", response: runDetailSchema },
  summary: "Get a run with its newest events",
  answer: ({ services }, { param }) => services.runs.get(param("id")),
});

const readEvents = defineRoute({
  ...{ method: "GET", path: "/runs/{id}/events", permission: "read", contentType: "text/event-stream" },
  summary: "The events of a run as server-sent events, until the run ends. Resumes after `Last-Event-ID`",
  response: z.string(),
  answer: ({ services, stopping }, { param, request, watch }) =>
    streamRunEvents(services.runs, param("id"), request, { stopping, watch }),
});

export const RUN_ROUTES = [listRuns, startRun, getRun, readEvents];
