import { z } from "zod";
import {
  executionFilterSchema,
  executionOutcomeSchema,
  executionSummarySchema,
  type Permission,
  runSettingsSchema,
} from "../../../lib/contract";
import type { ApiContext } from "../context";
import { toExecutionResponse } from "./execution-response";
import { type RunEventOptions, streamRunEvents } from "./run-events";

export interface RouteInput {
  /** Of the path, decoded. */
  params: Record<string, string>;
  query: unknown;
  body: unknown;
  request: Request;
  /** Whether who made the request may still read, for streams. */
  watch: RunEventOptions["watch"];
}

export interface Route {
  method: "GET" | "POST";
  /** With parameters in braces: `/tools/{name}`. */
  path: string;
  summary: string;
  permission: Permission;
  /** A token that is limited to tools or servers may use it. */
  forLimitedTokens?: boolean;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Of the successful response, where there is a contract. */
  response?: z.ZodType;
  /** A `Response` is passed on as it is, other values as JSON. */
  answer(ctx: ApiContext, input: RouteInput): unknown;
}

const waitMs = z.number().int().min(0).max(60_000).describe("How long the response may wait for the result");
const callBody = z.object({
  arguments: z.record(z.string(), z.json()).default({}),
  timeoutMs: z.number().positive().max(86_400_000).optional().describe("Instead of the tool's timeout"),
  waitMs: waitMs.optional(),
});
const validateBody = z.object({ arguments: z.record(z.string(), z.json()).default({}) });
const replayBody = z.object({ waitMs: waitMs.optional() });
const runBody = z.object({ text: z.string().trim().min(1).max(1_000_000), settings: runSettingsSchema });
const listQuery = z.object({
  tool: z.string().max(200).optional(),
  status: executionOutcomeSchema.optional(),
  q: executionFilterSchema.shape.q,
  since: z.coerce.number().optional().describe("Epoch milliseconds, inclusive"),
  until: z.coerce.number().optional().describe("Epoch milliseconds, inclusive"),
  cursor: z.coerce.number().int().optional().describe("`nextCursor` of the page before"),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const executionPage = z.object({ items: z.array(executionSummarySchema), nextCursor: z.number().nullable() });

/** The REST API, in the order of its document. Each answer is one call of a service. */
export const ROUTES: readonly Route[] = [
  {
    ...{ method: "GET", path: "/tools", summary: "List the tools", permission: "read" },
    answer: ({ services }) => ({ items: services.tools.list().items }),
  },
  {
    ...{ method: "GET", path: "/tools/{name}", summary: "Get a tool with its definition", permission: "read" },
    answer: ({ services }, { params }) => services.tools.get(params.name ?? ""),
  },
  {
    ...{ method: "POST", path: "/tools/{name}/validate", permission: "read", body: validateBody },
    summary: "Check arguments against a tool's schema, without a call",
    answer: ({ services }, { params, body }) => {
      const { arguments: given } = validateBody.parse(body);
      return services.tools.validateArguments(params.name ?? "", JSON.stringify(given));
    },
  },
  {
    ...{ method: "POST", path: "/tools/{name}/execute", permission: "run", body: callBody, forLimitedTokens: true },
    summary: "Run a tool. A call that is still running or waiting after `waitMs` is returned as it is",
    answer: async ({ services, actor }, { params, body }) => {
      const { arguments: given, timeoutMs, waitMs: wait } = callBody.parse(body);
      const options = {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(wait === undefined ? {} : { waitMs: wait }),
      };
      const call = { tool: params.name ?? "", argumentsText: JSON.stringify(given), unmasked: true, ...options };
      return toExecutionResponse(await services.executions.run(actor, call, "api"));
    },
  },
  {
    ...{ method: "GET", path: "/executions", permission: "read", query: listQuery, response: executionPage },
    summary: "List executions, newest first",
    answer: ({ services }, { query }) => {
      const { tool, status, cursor, limit, ...filter } = listQuery.parse(query);
      const chosen = {
        ...filter,
        ...(tool === undefined ? {} : { tool: [tool] }),
        ...(status === undefined ? {} : { status: [status] }),
      };
      return services.executions.list(chosen, cursor, limit);
    },
  },
  {
    ...{ method: "GET", path: "/executions/{id}", summary: "Get an execution", permission: "read" },
    answer: async ({ services }, { params }) => toExecutionResponse(await services.executions.get(params.id ?? "")),
  },
  {
    ...{ method: "POST", path: "/executions/{id}/replay", permission: "run", body: replayBody },
    summary: "Run an execution's tool again with its arguments",
    answer: async ({ services, actor }, { params, body }) => {
      const { waitMs: wait } = replayBody.parse(body);
      return toExecutionResponse(await services.executions.replay(actor, params.id ?? "", wait, true));
    },
  },
  {
    ...{ method: "POST", path: "/runs", summary: "Start a run", permission: "run", body: runBody },
    answer: ({ services, actor }, { body }) => services.runs.start(actor, runBody.parse(body)),
  },
  {
    ...{ method: "GET", path: "/runs/{id}", summary: "Get a run with its newest events", permission: "read" },
    answer: ({ services }, { params }) => services.runs.get(params.id ?? ""),
  },
  {
    ...{ method: "GET", path: "/runs/{id}/events", permission: "read" },
    summary: "The events of a run as server-sent events, until the run ends. Resumes after `Last-Event-ID`",
    answer: ({ services, stopping }, { params, request, watch }) =>
      streamRunEvents(services.runs, params.id ?? "", request, { stopping, watch }),
  },
  {
    ...{ method: "GET", path: "/toolsets", summary: "List the toolsets", permission: "read" },
    answer: ({ services }) => ({ items: services.toolsets.list() }),
  },
  {
    ...{ method: "GET", path: "/toolsets/{name}", summary: "Get a toolset with its overrides", permission: "read" },
    answer: ({ services }, { params }) => services.toolsets.get(params.name ?? ""),
  },
  {
    ...{ method: "GET", path: "/servers", summary: "List the servers", permission: "read" },
    answer: ({ services }) => services.servers.list(),
  },
];
