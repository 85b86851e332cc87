import { z } from "zod";
import {
  type ExecutionDetail,
  executionFilterSchema,
  executionSummarySchema,
  isLimited,
} from "../../../../lib/contract";
import { AppError } from "../../../shared/app-error";
import type { ApiContext } from "../../context";
import { executionResponseSchema, toExecutionResponse } from "../execution-response";
import { defineRoute } from "../route";
import { flagSchema, pageOf, pageQuery, timeSchema, toPage, waitSchema } from "../route-inputs";
import { runOnce } from "../run-once";

const { tool, kind, status, source, q } = executionFilterSchema.shape;
const EXECUTION = "/executions/{id}";

const listExecutions = defineRoute({
  ...{ method: "GET", path: "/executions", permission: "read", forLimitedTokens: true },
  summary: "List executions, newest first. A limited token gets those that were made with it",
  query: pageQuery.extend({
    ...{ tool, kind, status, source, q },
    user: z.string().max(200).optional().describe("The id of the user whose calls they are"),
    server: executionFilterSchema.shape.server.describe("Calls of this server's tools, resources and prompts"),
    client: executionFilterSchema.shape.client.describe("The program of the caller, or the beginning of its name"),
    toolset: executionFilterSchema.shape.toolset,
    run: z.string().max(100).optional().describe("Calls of this run"),
    pinned: flagSchema.optional(),
    since: timeSchema.optional(),
    until: timeSchema.optional(),
  }),
  response: pageOf(executionSummarySchema),
  async answer({ services, actor }, { query: { cursor, limit, user, run, ...filter } }) {
    const own = limitOf(actor.token);
    const chosen = { ...filter, ...own, actor: user, runId: run };
    return toPage(await services.executions.list(chosen, cursor, limit));
  },
});

const getExecution = defineRoute({
  ...{ method: "GET", path: EXECUTION, permission: "read", forLimitedTokens: true },
  summary: "Get an execution with what is stored of its result",
  response: executionResponseSchema,
  answer: async (context, { param }) => toExecutionResponse(await findExecution(context, param("id"))),
});

const replayExecution = defineRoute({
  ...{ method: "POST", path: `${EXECUTION}/replay`, permission: "run", idempotent: "exec" },
  summary: "Run an execution's tool again with its arguments",
  body: z.strictObject({ waitMs: waitSchema }),
  response: executionResponseSchema,
  async answer({ services: { executions }, actor }, { param, body: { waitMs }, idempotency }) {
    const execution = await runOnce(executions, idempotency, waitMs, (executionId) =>
      executions.replay(actor, param("id"), { waitMs, unmasked: true, executionId, tokenId: actor.token?.id }),
    );
    return toExecutionResponse(execution);
  },
});

const cancelExecution = defineRoute({
  ...{ method: "POST", path: `${EXECUTION}/cancel`, permission: "run" },
  summary: "Cancel a call that is running or waiting",
  response: z.object({ cancelled: z.boolean().describe("False for a call that had ended already") }),
  answer: ({ services, actor }, { param }) => services.executions.cancel(actor, param("id")),
});

/** A limited token reads what was called with it. */
function limitOf(token: ApiContext["actor"]["token"]): { token?: string } {
  return token !== null && isLimited(token) ? { token: token.id } : {};
}

/** @throws AppError for an execution that is not there, and for one of others with a limited token: with the same words */
async function findExecution({ services, actor: { token } }: ApiContext, id: string): Promise<ExecutionDetail> {
  const own = limitOf(token);
  if (own.token !== undefined && !(await services.executions.isMadeWith(id, own.token))) {
    throw new AppError("NOT_FOUND", `Execution '${id}' not found`);
  }
  const execution = await services.executions.get(id);
  return own.token === undefined ? execution : { ...execution, parent: null, children: [] };
}

export const EXECUTION_ROUTES = [listExecutions, getExecution, replayExecution, cancelExecution];
