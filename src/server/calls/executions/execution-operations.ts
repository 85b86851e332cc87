import { z } from "zod";
import {
  type ExecutionDetail,
  type ExecutionFilter,
  executionCountSchema,
  executionCursorSchema,
  executionDetailSchema,
  executionFilterSchema,
  executionOrderSchema,
  executionPageSchema,
  executionSummarySchema,
} from "../../../lib/contract/execution";
import {
  deletedExecutionsSchema,
  deletionChoiceSchema,
  deletionPreviewSchema,
} from "../../../lib/contract/execution-deletion";
import {
  definitionUseSchema,
  executionFacetsSchema,
  executionTimelineSchema,
  failureReportSchema,
  knownCallersSchema,
  namedOverviewSchema,
  serverFiguresSchema,
  toolFailuresSchema,
  toolFiguresSchema,
  toolStatisticsSchema,
  toolStatsSchema,
} from "../../../lib/contract/execution-figures";
import { act, type OperationContext, operations, read, requireSent, restOnly } from "../../platform/api/operation";
import {
  argumentsSchema,
  describePage,
  executionIdSchema,
  flagSchema,
  pageQuery,
  timeSchema,
  timeZoneSchema,
  toPage,
  waitSchema,
} from "../../platform/api/route-inputs";
import { describeExecution } from "./execution-output";
import { answerExport, EXPORT_FORMATS } from "./export-executions";
import { describeFailures, FAILURE_PERIODS, findFailures, toWindow } from "./find-failures";
import { admitsCall, findExecution, toTokenFilter } from "./limited-executions";
import { executionResponseSchema, runSent, toCallResponse, toExecutionResponse } from "./rest-calls";
import { readFilter, SENT_FILTER, sentDeletionSchema, toChoice } from "./sent-filter";

const id = z.string().max(100);
const byId = z.object({ id });
const name = z.string().min(1).max(200);
const timeoutMs = z.number().positive().max(86_400_000).optional();
const executionId = executionIdSchema
  .optional()
  .describe(
    "An id of your own for the call, such as `exec_` and 20 random letters: with it the call can be cancelled while this request waits",
  );
const filter = executionFilterSchema.default({});
const days = z.coerce.number<number | string>().int().min(1).max(90);
const zone = timeZoneSchema.default("UTC");

const thorough = z.boolean().default(false);
const sentFilter = z.object(SENT_FILTER);
const sentCount = sentFilter.extend({
  thorough: flagSchema.default(false).describe("Counts for up to some seconds in place of some milliseconds"),
});
const byFilter = {
  query: sentCount,
  toInput: async ({ services }: OperationContext, sent: z.output<typeof sentCount>) => ({
    filter: await readFilter(services.views, sent),
    zone: sent.zone ?? "UTC",
    thorough: sent.thorough,
  }),
};
const sentPage = pageQuery.extend(SENT_FILTER);
const sentExport = sentFilter.extend({
  format: z
    .enum(EXPORT_FORMATS)
    .default("jsonl")
    .describe(
      "`jsonl`: a line for each, as `GET /executions/{id}` has it; `csv`: `text/csv`, whose cells are no formulas",
    ),
  bom: flagSchema
    .default(true)
    .describe("Whether CSV begins with a byte order mark, which spreadsheet programs need; true unless set"),
});

const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** How long agents wait for a replay; after that they receive the running call. */
const AGENT_WAIT_MS = 20_000;

/** Agents get a call without its definition, which is longer than the rest. */
function toAgentCall({ definition: _definition, children, ...execution }: ExecutionDetail) {
  return { ...execution, children: children.map((child) => child.id) };
}

const agentTime = z.union([z.number().int(), timeSchema]).optional();
const { shape: filters } = executionFilterSchema;
const agentFilter = executionFilterSchema.extend({
  tool: filters.tool.describe("Names of tools"),
  kind: filters.kind.describe("What was called; default: all"),
  source: filters.source.describe("How the call came in; default: all but evals, tests and imported calls"),
  actor: filters.actor.describe("The id of the user"),
  errorKind: filters.errorKind.describe("Why it failed"),
  tag: filters.tag.describe("Calls of tools that have one of these tags"),
  duration: filters.duration.describe("The time that the tool itself ran"),
  size: filters.size.describe("Of the stored result"),
  q: filters.q.describe("Words in arguments, results, errors and reasons: three characters or more"),
  pinned: filters.pinned.describe("Only pinned calls, or only others"),
  runId: filters.runId.describe("Calls of this run"),
  toolset: filters.toolset.describe("Calls that came through this toolset"),
  server: filters.server.describe("Calls of this server's tools, resources and prompts"),
  client: filters.client.describe("The caller's program, with or without its version"),
  token: filters.token.describe("The id of the API token that the calls were made with"),
  change: filters.change.describe("Together with `tool`: calls that a change which waits breaks, by its hash"),
  definition: filters.definition.describe("Together with `tool`: calls of one version, by the hash of its definition"),
  since: agentTime.describe("Epoch milliseconds, or ISO 8601 with an offset; inclusive"),
  until: agentTime.describe("The same, inclusive"),
  limit: z.number().int().min(1).max(100).default(20).describe("Most calls to return"),
});

/** A call whose result is JSON in place of text. */
const asExecution = { output: executionResponseSchema, toAnswer: toExecutionResponse };
const asCall = { output: executionResponseSchema, toAnswer: toCallResponse, mayWait: true } as const;
const ofExecution = (input: z.output<typeof byId>) => ({ kind: "execution", name: input.id });

/** Recorded calls. `executions list`, `replay` and `compare` are commands of their own: they take filters of saved views, follow calls and wait for them. */
export const executionOperations = operations(
  "executions",
  {
    list: read({
      rest: "GET /executions",
      summary: "List executions, newest first. A limited token gets those that were made with it",
      allow: "read",
      forLimitedTokens: true,
      input: z.object({
        filter,
        order: executionOrderSchema.optional(),
        cursor: executionCursorSchema.nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
      sentAs: {
        query: sentPage,
        toInput: async ({ services }, { cursor, limit, ...sent }: z.output<typeof sentPage>) => ({
          filter: await readFilter(services.views, sent),
          cursor,
          limit,
        }),
      },
      output: executionPageSchema,
      answeredAs: { output: describePage(executionSummarySchema), toAnswer: toPage },
      run: ({ services, principal }, { filter: chosen, cursor, limit, order }) =>
        services.executions.list({ ...chosen, ...toTokenFilter(principal.token) }, cursor ?? undefined, limit, order),
      agent: {
        name: "search_executions",
        description:
          "Find recorded calls of tools, newest first: by tool, status, error kind, time, client, user, server or words in arguments, results and errors.",
        input: agentFilter,
        toInput: ({ limit, ...chosen }: z.output<typeof agentFilter>) => ({ filter: chosen as ExecutionFilter, limit }),
        toResult: ({ items }) => ({ count: items.length, executions: items }),
      },
    }),
    // The first route that fits a path is taken: before `get`.
    failures: read({
      rest: "GET /executions/failures",
      summary: "Count the failed calls of a period by cause, with the newest call of each",
      allow: "read",
      forLimitedTokens: true,
      input: z.object({
        period: z
          .enum(FAILURE_PERIODS)
          .default("day")
          .describe("`hour`, `day`, `week` and `month` end now; `today` and `yesterday` are days of the time zone"),
        since: timeSchema.optional().describe("In place of the period: epoch milliseconds, or ISO 8601 with an offset"),
        until: timeSchema.optional().describe("With `since`, inclusive; default: now"),
        tool: name.optional().describe("Calls of this tool"),
        server: name.optional().describe("Calls of this server's tools, resources and prompts"),
        zone: timeZoneSchema.optional().describe("The time zone of the days; default: the server's"),
      }),
      output: failureReportSchema,
      run({ services, principal }, { period, since, until, tool, server, zone: days = SERVER_ZONE }) {
        const now = Date.now();
        const window = since === undefined ? toWindow(period, now, days) : { since, until: until ?? now };
        const chosen = {
          ...window,
          ...(tool !== undefined && { tool: [tool] }),
          ...(server !== undefined && { server }),
        };
        return findFailures(services.executions, { ...chosen, ...toTokenFilter(principal.token) });
      },
      agent: {
        name: "what_failed",
        description:
          "What failed in a period, and why: the failed calls grouped by cause, most frequent first, with the id of the newest call of each for get_execution.",
        toResult: ({ since, until, ...report }) => ({
          summary: describeFailures(report),
          since: new Date(since).toISOString(),
          until: new Date(until).toISOString(),
          ...report,
        }),
      },
    }),
    count: read({
      rest: "GET /executions/count",
      summary: "Count executions, up to a limit",
      allow: "read",
      input: z.object({ filter, thorough }),
      sentAs: byFilter,
      output: executionCountSchema,
      run: ({ services }, input) => services.executions.count(input.filter, { isThorough: input.thorough }),
    }),
    export: restOnly(
      "The console loads the file from an address of its own",
      read({
        rest: "GET /executions/export",
        summary: "Export executions with arguments and results as a file, newest first: JSON Lines or CSV",
        allow: "read",
        forLimitedTokens: true,
        contentType: ["application/jsonl", "text/csv"],
        input: z.object({ filter: executionFilterSchema, format: z.enum(EXPORT_FORMATS), bom: z.boolean() }),
        sentAs: {
          query: sentExport,
          toInput: async ({ services }, { format, bom, ...sent }: z.output<typeof sentExport>) => ({
            filter: await readFilter(services.views, sent),
            format,
            bom,
          }),
        },
        output: z.string(),
        run(context, { filter: chosen, ...file }) {
          const { services, principal, stopping } = context;
          const own = toTokenFilter(principal.token);
          return answerExport(services.executions, {
            ...file,
            filter: { ...chosen, ...own },
            isLimited: own.token !== undefined,
            watch: requireSent(context).watch,
            stopping,
          });
        },
      }),
    ),
    facetCounts: read({
      rest: "GET /executions/facets",
      summary: "Count executions by each value of each filter, under the other filters",
      allow: "read",
      input: z.object({ filter, thorough }),
      sentAs: byFilter,
      output: executionFacetsSchema,
      run: ({ services }, input) => services.executions.facetCounts(input.filter, { isThorough: input.thorough }),
    }),
    timeline: read({
      rest: "GET /executions/timeline",
      summary: "Count executions over time, in at most 60 steps, with percentiles of their durations",
      allow: "read",
      input: z.object({ filter, zone, thorough }),
      sentAs: byFilter,
      output: executionTimelineSchema,
      run: ({ services }, input) =>
        services.executions.timeline(input.filter, input.zone, { isThorough: input.thorough }),
    }),
    facets: read({
      rest: "GET /executions/callers",
      summary: "List the names of the tools that were called, and the users who called them",
      allow: "read",
      output: knownCallersSchema,
      run: ({ services }) => services.executions.facets(),
    }),
    overview: read({
      rest: "GET /executions/overview",
      summary: "Count the calls of the last days by day, with the slowest tools and those that fail most",
      allow: "read",
      input: z.object({ days: days.default(7), zone }),
      output: namedOverviewSchema,
      async run({ services }, input) {
        const stats = await services.executions.overview(input.days, input.zone);
        const names = [...stats.slowest, ...stats.failing].map(({ toolName }) => toolName);
        return { ...stats, gone: names.filter((name) => !services.tools.has(name)) };
      },
      agent: {
        name: "execution_stats",
        description:
          "Count the calls of the last days by day and outcome, with the slowest tools and those that fail most.",
        input: z.object({ days: z.number().int().min(1).max(90).default(7).describe("Days to count, today included") }),
        toInput: (fields: { days: number }) => ({ days: fields.days, zone: "UTC" }),
      },
    }),
    toolFigures: read({
      rest: "GET /executions/figures/tools",
      summary: "Count the calls of the last days of every tool that was ever called",
      allow: "read",
      input: z.object({ days: days.default(7) }),
      output: z.array(toolFiguresSchema),
      run: ({ services }, input) => services.executions.toolFigures(input.days),
    }),
    serverFigures: read({
      rest: "GET /executions/figures/servers",
      summary: "Count the calls of the last days of every server that was called in them",
      allow: "read",
      input: z.object({ days: days.default(7) }),
      output: z.array(serverFiguresSchema),
      run: ({ services }, input) => services.executions.serverFigures(input.days),
    }),
    definitionUse: read({
      rest: "GET /executions/definitions",
      summary: "Count the calls of tools by the definition that ran",
      allow: "read",
      input: z.object({ tools: z.array(name).min(1).max(20) }),
      output: definitionUseSchema,
      run: ({ services }, input) => services.executions.definitionUse(input.tools),
    }),
    toolStats: read({
      rest: "GET /tools/{name}/figures",
      summary: "Count all calls of a tool, with percentiles of their durations",
      allow: "read",
      input: z.object({ name }),
      output: toolStatsSchema,
      run: ({ services }, input) => services.executions.toolStats(input.name),
      agent: {
        name: "tool_stats",
        description: "Count all calls of one tool by outcome, with percentiles of their durations.",
        input: z.object({ tool: name.describe("The name of the tool") }),
        toInput: (fields: { tool: string }) => ({ name: fields.tool }),
        toResult: (stats, fields: { tool: string }) => ({ tool: fields.tool, ...stats }),
      },
    }),
    toolStatistics: read({
      rest: "GET /tools/{name}/statistics",
      summary: "Count the calls of a tool in the last days by client, version, duration and message of failure",
      allow: "read",
      input: z.object({ name, days: days.nullable().default(7), zone }),
      sentAs: {
        query: z.object({
          days: z
            .union([z.literal("all"), days])
            .default(7)
            .describe("1 to 90, default 7; `all`: all calls"),
          zone,
        }),
        toInput: (_context, sent: { days: number | "all"; zone: string }) => ({
          days: sent.days === "all" ? null : sent.days,
          zone: sent.zone,
        }),
      },
      output: toolStatisticsSchema,
      run: ({ services }, { name: tool, ...period }) => services.executions.toolStatistics(tool, period),
    }),
    toolFailures: read({
      rest: "GET /tools/{name}/failures",
      summary: "Count the failed calls of a tool by their message",
      allow: "read",
      input: z.object({ name, since: z.number().int().min(0) }),
      sentAs: {
        query: z.object({ since: timeSchema.optional() }),
        toInput: (_context, { since = 0 }: { since?: number | undefined }) => ({ since }),
      },
      output: toolFailuresSchema,
      run: ({ services }, input) => services.executions.toolFailures(input.name, input.since),
    }),
    run: act({
      rest: "POST /tools/{name}/execute",
      summary: "Run a tool. A call that is still running or waiting after `waitMs` is returned as it is",
      allow: "run",
      forLimitedTokens: (token, input) => admitsCall(token, input.name),
      idempotent: "exec",
      input: z.object({
        name,
        argumentsText: z.string().max(4_000_000),
        executionId: executionIdSchema.optional(),
        timeoutMs,
        skipValidation: z.boolean().optional(),
        parentId: executionIdSchema.optional(),
        waitMs: z.number().min(0).max(60_000).optional(),
      }),
      sentAs: {
        body: z.strictObject({
          arguments: argumentsSchema,
          timeoutMs: timeoutMs.describe("Instead of the tool's timeout"),
          waitMs: waitSchema,
          executionId,
        }),
        // Arguments are taken from the parsed body where the call is made.
        toInput: (_context, { arguments: _, ...sent }: { arguments: object }) => sent,
      },
      output: executionDetailSchema,
      answeredAs: asCall,
      audit: { unrecorded: "The execution records it", target: (input) => ({ kind: "tool", name: input.name }) },
      run({ services: { executions }, actor, principal, source, sent }, { name: tool, argumentsText, ...call }) {
        if (sent === null) return executions.run(actor, { ...call, tool, argumentsText }, source);
        return runSent({ executions, principal, sent }, call, (more) =>
          executions.run(actor, { ...call, ...more, tool, args: sent.readArguments() }, "api"),
        );
      },
    }),
    get: read({
      rest: "GET /executions/{id}",
      summary: "Get an execution with what is stored of its result",
      allow: "read",
      forLimitedTokens: true,
      input: byId,
      output: executionDetailSchema,
      answeredAs: asExecution,
      run: ({ services, principal }, input) => findExecution(services.executions, principal.token, input.id),
      cli: {
        words: "show <id>",
        summary: "Show a call with its arguments, result and log",
        examples: [
          ["toolroom executions show exec_7hJ2kQ9w", "a call for reading"],
          ["toolroom executions show exec_7hJ2kQ9w --json | jq .result", "its result alone"],
        ],
        print: (_, text) => describeExecution(text),
      },
      agent: {
        name: "get_execution",
        description: "Read one recorded call: its arguments, result, error, log, times and caller.",
        input: z.object({ id: executionIdSchema.describe("Such as exec_7hJ2…: search_executions finds it") }),
        toResult: toAgentCall,
      },
    }),
    replay: act({
      rest: "POST /executions/{id}/replay",
      summary: "Run an execution's tool again with its arguments",
      allow: "run",
      idempotent: "exec",
      input: z.strictObject({ id, waitMs: waitSchema, executionId }),
      output: executionDetailSchema,
      answeredAs: asCall,
      audit: { unrecorded: "The execution records it", target: ofExecution },
      run({ services: { executions }, actor, principal, sent }, { id: original, ...call }) {
        if (sent === null) return executions.replay(actor, original, { ...call, tokenId: principal.token?.id });
        return runSent({ executions, principal, sent }, call, (more) =>
          executions.replay(actor, original, { ...call, ...more }),
        );
      },
      agent: {
        name: "replay_execution",
        description:
          "Run the tool of a recorded call again with the same arguments. The tool acts again: a tool that needs approval waits for it.",
        input: z.object({ id: executionIdSchema.describe("The call to run again") }),
        toInput: (fields: { id: string }) => ({ id: fields.id, waitMs: AGENT_WAIT_MS }),
        toResult: toAgentCall,
      },
    }),
    cancel: act({
      rest: "POST /executions/{id}/cancel",
      summary: "Cancel a call that is running or waiting",
      allow: "run",
      input: byId,
      output: z.object({ cancelled: z.boolean().describe("False for a call that had ended already") }),
      audit: { target: ofExecution, after: (outcome) => outcome },
      run: ({ services, actor }, input) => services.executions.cancel(actor, input.id),
      cli: {
        words: "cancel <id>",
        examples: [
          ["toolroom executions cancel exec_7hJ2kQ9w", "end it"],
          ["toolroom executions cancel exec_7hJ2kQ9w --json", "say it as JSON"],
        ],
        say: (_, given) => `Cancelled ${given}.`,
        fail: ({ cancelled }, given) => (cancelled ? null : `${given} had ended already.`),
        failsAs: "refused",
      },
    }),
    setPinned: act({
      rest: "PUT /executions/{id}/pinned",
      summary: "Pin an execution, so that no rule of retention deletes it, or unpin it",
      allow: "run",
      input: z.strictObject({ id, pinned: z.boolean() }),
      output: executionSummarySchema,
      audit: { target: ofExecution, after: (_, { pinned }) => ({ pinned }) },
      run: ({ services, actor }, input) => services.executions.setPinned(actor, input.id, input.pinned),
    }),
    deletionPreview: read({
      rest: "POST /executions/delete/preview",
      summary: "Count what a deletion would remove. Running and waiting executions stay",
      allow: "administer",
      input: deletionChoiceSchema,
      sentAs: {
        body: sentDeletionSchema,
        toInput: (_context, sent: z.output<typeof sentDeletionSchema>) => toChoice(sent),
      },
      output: deletionPreviewSchema,
      run: ({ services, actor }, choice) => services.executions.deletionPreview(actor, choice),
    }),
    delete: act({
      rest: "POST /executions/delete",
      summary:
        "Delete executions that have ended: those with the ids, or all that match a filter. At most 5000 a request",
      allow: "administer",
      input: deletionChoiceSchema,
      sentAs: {
        body: sentDeletionSchema,
        toInput: (_context, sent: z.output<typeof sentDeletionSchema>) => toChoice(sent),
      },
      output: deletedExecutionsSchema,
      audit: {
        target: (_, outcome) => ({ kind: "execution", name: `${outcome?.deleted ?? 0} deleted` }),
        after: (outcome, choice) => ({ ...choice, ...outcome }),
      },
      run: ({ services, actor }, choice) => services.executions.delete(actor, choice),
    }),
    deleteOne: restOnly(
      "The console deletes what it has selected, with `executions.delete`",
      act({
        rest: "DELETE /executions/{id}",
        summary: "Delete an execution that has ended. A pinned one stays",
        allow: "administer",
        input: byId,
        audit: { target: ofExecution },
        run: ({ services, actor }, input) => services.executions.deleteOne(actor, input.id),
      }),
    ),
  },
  {
    summary: "List, follow, show, replay and compare recorded calls",
    examples: ["toolroom executions list --status failed", "toolroom executions list --follow"],
  },
);
