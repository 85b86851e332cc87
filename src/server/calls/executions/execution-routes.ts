import { z } from "zod";
import { isLimited } from "../../../lib/contract/access";
import { type ExecutionDetail, executionFilterSchema, executionSummarySchema } from "../../../lib/contract/execution";
import {
  type DeletionChoice,
  deletedExecutionsSchema,
  deletionChoiceSchema,
  deletionPreviewSchema,
} from "../../../lib/contract/execution-deletion";
import { type ApiContext, defineRoute, type IdempotentId } from "../../platform/api/route";
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
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { answerExport, EXPORT_FORMATS } from "./export-executions";
import { executionResponseSchema, runOnce, toExecutionResponse } from "./run-once";

const { tool, kind, status, source, q, message, errorKind, tag, duration, size } = executionFilterSchema.shape;
const EXECUTION = "/executions/{id}";
const newIdSchema = executionIdSchema
  .optional()
  .describe(
    "An id of your own for the call, such as `exec_` and 20 random letters: with it the call can be cancelled while this request waits",
  );
const FILTER = {
  tool,
  kind,
  status,
  source,
  q,
  message,
  errorKind,
  tag,
  duration,
  size,
  user: z.string().max(200).optional().describe("The id of the user whose calls they are"),
  server: executionFilterSchema.shape.server.describe("Calls of this server's tools, resources and prompts"),
  client: executionFilterSchema.shape.client.describe("The program of the caller, or the beginning of its name"),
  toolset: executionFilterSchema.shape.toolset,
  run: z.string().max(100).optional().describe("Calls of this run"),
  since: timeSchema.optional(),
  until: timeSchema.optional(),
};

/** A saved view, whose filters the ones beside it replace. */
const VIEW = {
  view: z.string().max(100).optional().describe("The name or id of a saved view; other filters replace its own"),
  zone: timeZoneSchema.optional().describe("The time zone of the view's days; default: UTC"),
};

const executeTool = defineRoute({
  method: "POST",
  path: "/tools/{name}/execute",
  permission: "run",
  forLimitedTokens: true,
  idempotent: "exec",
  summary: "Run a tool. A call that is still running or waiting after `waitMs` is returned as it is",
  body: z.strictObject({
    arguments: argumentsSchema,
    timeoutMs: z.number().positive().max(86_400_000).optional().describe("Instead of the tool's timeout"),
    waitMs: waitSchema,
    executionId: newIdSchema,
  }),
  response: executionResponseSchema,
  async answer(
    { services: { executions }, actor },
    { param, body: { timeoutMs, waitMs, executionId: ownId }, readArguments, idempotency, request },
  ) {
    const isCallerGone = (): boolean => request.signal.aborted;
    const call = { tool: param("name"), args: readArguments(), unmasked: true, timeoutMs, waitMs, isCallerGone };
    rejectTwoIds(idempotency, ownId);
    const execution = await runOnce(executions, idempotency, waitMs, (keyId) =>
      executions.run(actor, { ...call, executionId: keyId ?? ownId, tokenId: actor.token?.id }, "api"),
    );
    return toExecutionResponse(execution);
  },
});

const listExecutions = defineRoute({
  method: "GET",
  path: "/executions",
  permission: "read",
  forLimitedTokens: true,
  summary: "List executions, newest first. A limited token gets those that were made with it",
  query: pageQuery.extend({ ...FILTER, ...VIEW, pinned: flagSchema.optional() }),
  response: describePage(executionSummarySchema),
  async answer({ services, actor }, { query: { cursor, limit, ...filter } }) {
    const chosen = await readFilter(services, actor.token, filter);
    return toPage(await services.executions.list(chosen, cursor, limit));
  },
});

const readExport = defineRoute({
  method: "GET",
  path: "/executions/export",
  permission: "read",
  forLimitedTokens: true,
  summary: "Export executions with arguments and results as a file, newest first: JSON Lines or CSV",
  contentType: "application/jsonl",
  query: z.object({
    ...FILTER,
    ...VIEW,
    pinned: flagSchema.optional(),
    format: z
      .enum(EXPORT_FORMATS)
      .default("jsonl")
      .describe(
        "`jsonl`: a line for each, as `GET /executions/{id}` has it; `csv`: `text/csv`, whose cells are no formulas",
      ),
    bom: flagSchema
      .default(true)
      .describe("Whether CSV begins with a byte order mark, which spreadsheet programs need; true unless set"),
  }),
  response: z.string(),
  async answer(context, { query: { format, bom, ...filter }, watch }) {
    const { services, actor, stopping } = context;
    const chosen = await readFilter(services, actor.token, filter);
    const isLimited = chosen.token !== undefined;
    return answerExport(services.executions, { filter: chosen, format, bom, isLimited, watch, stopping });
  },
});

const getExecution = defineRoute({
  method: "GET",
  path: EXECUTION,
  permission: "read",
  forLimitedTokens: true,
  summary: "Get an execution with what is stored of its result",
  response: executionResponseSchema,
  answer: async (context, { param }) => toExecutionResponse(await findExecution(context, param("id"))),
});

const replayExecution = defineRoute({
  method: "POST",
  path: `${EXECUTION}/replay`,
  permission: "run",
  idempotent: "exec",
  summary: "Run an execution's tool again with its arguments",
  body: z.strictObject({ waitMs: waitSchema, executionId: newIdSchema }),
  response: executionResponseSchema,
  async answer(
    { services: { executions }, actor },
    { param, body: { waitMs, executionId: ownId }, idempotency, request },
  ) {
    const isCallerGone = (): boolean => request.signal.aborted;
    const call = { waitMs, unmasked: true, tokenId: actor.token?.id, isCallerGone };
    rejectTwoIds(idempotency, ownId);
    const execution = await runOnce(executions, idempotency, waitMs, (keyId) =>
      executions.replay(actor, param("id"), { ...call, executionId: keyId ?? ownId }),
    );
    return toExecutionResponse(execution);
  },
});

const cancelExecution = defineRoute({
  method: "POST",
  path: `${EXECUTION}/cancel`,
  permission: "run",
  summary: "Cancel a call that is running or waiting",
  response: z.object({ cancelled: z.boolean().describe("False for a call that had ended already") }),
  answer: ({ services, actor }, { param }) => services.executions.cancel(actor, param("id")),
});

const deletionBody = z.strictObject({
  ids: deletionChoiceSchema.shape.ids.describe("These executions"),
  filter: z.strictObject(FILTER).optional().describe("All that match, as in the list; `{}` is all of them"),
  includePinned: z.boolean().default(false).describe("Pinned ones too"),
});

const previewDeletion = defineRoute({
  method: "POST",
  path: "/executions/delete/preview",
  permission: "administer",
  body: deletionBody,
  summary: "Count what a deletion would remove. Running and waiting executions stay",
  response: deletionPreviewSchema,
  answer: ({ services, actor }, { body }) => services.executions.deletionPreview(actor, toChoice(body)),
});

const deleteExecutions = defineRoute({
  method: "POST",
  path: "/executions/delete",
  permission: "administer",
  body: deletionBody,
  summary: "Delete executions that have ended: those with the ids, or all that match a filter. At most 5000 a request",
  response: deletedExecutionsSchema,
  answer: ({ services, actor }, { body }) => services.executions.delete(actor, toChoice(body)),
});

const deleteExecution = defineRoute({
  method: "DELETE",
  path: EXECUTION,
  permission: "administer",
  summary: "Delete an execution that has ended. A pinned one stays",
  async answer({ services: { executions }, actor }, { param }) {
    const id = param("id");
    const { pinned } = await executions.get(id);
    const { deleted } = await executions.delete(actor, { ids: [id], includePinned: false });
    if (deleted > 0) return undefined;
    const reason = pinned ? "is pinned: unpin it first" : "has not ended: cancel it first";
    throw new AppError("CONFLICT", `Execution '${id}' ${reason}`);
  },
});

/** @throws AppError INVALID for one that chooses nothing */
function toChoice({ ids, filter, includePinned }: z.output<typeof deletionBody>): DeletionChoice {
  if ((ids === undefined) !== (filter === undefined)) {
    return { includePinned, ...(ids === undefined ? { filter: toFilter(filter ?? {}) } : { ids }) };
  }
  throw invalidInput("", [{ path: "ids", message: "or filter is required, and not both" }], " ");
}

function toFilter<Filter extends { user?: string | undefined; run?: string | undefined }>(filter: Filter) {
  const { user, run, ...rest } = filter;
  return { ...rest, actor: user, runId: run };
}

type FilterQuery = z.output<z.ZodObject<typeof FILTER & typeof VIEW>> & { pinned?: boolean | undefined };

async function readFilter(
  { views }: Pick<ApiContext["services"], "views">,
  token: ApiContext["actor"]["token"],
  { view, zone = "UTC", ...filter }: FilterQuery,
) {
  const own = Object.fromEntries(Object.entries(toFilter(filter)).filter(([, value]) => value !== undefined));
  const saved = view === undefined ? {} : await views.readFilter(view, zone);
  return { ...saved, ...(own as ReturnType<typeof toFilter>), ...toTokenFilter(token) };
}

/** A limited token reads what was called with it. */
function toTokenFilter(token: ApiContext["actor"]["token"]): { token?: string } {
  return token !== null && isLimited(token) ? { token: token.id } : {};
}

/** @throws AppError for an execution that is not there, and for one of others with a limited token: with the same words */
async function findExecution({ services, actor: { token } }: ApiContext, id: string): Promise<ExecutionDetail> {
  const own = toTokenFilter(token);
  if (own.token !== undefined && !(await services.executions.isMadeWith(id, own.token))) {
    throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
  }
  const execution = await services.executions.get(id);
  return own.token === undefined ? execution : { ...execution, parent: null, children: [] };
}

/** @throws AppError where a request names its execution in two ways */
function rejectTwoIds(key: IdempotentId | null, ownId: string | undefined): void {
  if (key === null || ownId === undefined) return;
  throw invalidInput("", [{ path: "executionId", message: "cannot be sent with an Idempotency-Key" }], " ");
}

export const EXECUTION_ROUTES = [
  // The first route that fits a path is taken.
  executeTool,
  listExecutions,
  readExport,
  getExecution,
  replayExecution,
  cancelExecution,
  previewDeletion,
  deleteExecutions,
  deleteExecution,
];
