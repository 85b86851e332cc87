import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../../lib/contract/json";
import { RELATED_TASK, TASKS_EXTENSION } from "../../../../lib/mcp-tasks";
import { type CatalogServer, getPeer } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import { type FoundTask, type GatewayTasks, hasEnded, knowsTasks, type TaskCaller } from "./gateway-tasks";
import type { TaskEnd, TaskState } from "./running-task";
import { toSessionTask, toStatelessTask } from "./task-answers";

type Params = Record<string, unknown>;

/** Serves the requests about tasks of one peer. */
export function serveTasks(server: CatalogServer, view: CatalogView, tasks: GatewayTasks, pollMs: number): void {
  const on: CatalogServer["on"] = (...handled) => server.on(...handled);
  if (server.isStateless) serveStateless(on, server, { view, sessionId: null }, tasks, pollMs);
  else serveSession(on, server, view, tasks, pollMs);
}

export function taskCapabilities(isStateless: boolean): ServerCapabilities {
  if (isStateless) return { extensions: { [TASKS_EXTENSION]: {} } };
  return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
}

/** Registers the handlers of revision 2025-11-25. */
function serveSession(
  on: CatalogServer["on"],
  server: CatalogServer,
  view: CatalogView,
  tasks: GatewayTasks,
  pollMs: number,
): void {
  const caller = (): TaskCaller => ({ view, sessionId: server.sessionId });
  const sent = ({ stored }: Pick<FoundTask, "stored">, state: TaskState): Result => ({
    ...toSessionTask(stored, state, pollMs),
  });
  on("tasks/get", async ({ taskId }) => {
    const found = await tasks.find(taskId, caller());
    return sent(found, found.state);
  });
  on("tasks/list", async ({ cursor }) => {
    if (cursor !== undefined) throw invalid("tasks/list has one page: leave out params.cursor");
    return { tasks: (await tasks.list(caller())).map((task) => sent(task, task.state)) };
  });
  on("tasks/cancel", async ({ taskId }) => {
    const found = await tasks.find(taskId, caller());
    if (hasEnded(found.state.status)) throw invalid(`The task cannot be cancelled: it is ${found.state.status}`);
    await tasks.cancel(found, caller());
    return sent(found, { ...found.state, status: "cancelled", updatedAt: Date.now(), message: null });
  });
  on("tasks/result", async ({ taskId }, ctx) => {
    const found = await tasks.find(taskId, caller());
    await found.running?.follow(ctx);
    const end = await awaitEnd(found, tasks, caller(), pollMs, ctx.mcpReq.signal);
    const result = project(end, server, view, found);
    const related = { [RELATED_TASK]: { taskId: found.stored.id } };
    return { ...result, _meta: { ...(result._meta as Params | undefined), ...related } };
  });
}

/** Serves 2026-07-28, where tasks are an extension. */
function serveStateless(
  on: CatalogServer["on"],
  server: CatalogServer,
  caller: TaskCaller,
  tasks: GatewayTasks,
  pollMs: number,
): void {
  const find = async ({ taskId }: Params, ctx: ServerContext): Promise<FoundTask> => {
    requireExtension(getPeer(ctx, server).clientCapabilities);
    return await tasks.find(taskId, caller);
  };
  on("tasks/get", async (params, ctx) => {
    return await toDetailedTask(await find(params, ctx), server, caller, tasks, pollMs);
  });
  on("tasks/update", async (params, ctx) => {
    const { running } = await find(params, ctx);
    const responses = params.inputResponses ?? ctx.mcpReq.inputResponses;
    if (!isPlainObject(responses)) throw invalid("tasks/update needs params.inputResponses, an object");
    running?.pending.answer(responses);
    return {};
  });
  on("tasks/cancel", async (params, ctx) => {
    const found = await find(params, ctx);
    if (!hasEnded(found.state.status)) await tasks.cancel(found, caller);
    return {};
  });
}

/** A task of 2026-07-28 with what belongs to its status: requests for input, the result or the error. */
export async function toDetailedTask(
  found: FoundTask,
  server: CatalogServer,
  caller: TaskCaller,
  tasks: GatewayTasks,
  pollMs: number,
): Promise<Result> {
  const { state, running } = found;
  const task = toStatelessTask(found.stored, state, pollMs);
  if (state.status === "input_required") return { ...task, inputRequests: running?.inputRequests ?? {} };
  if (!hasEnded(state.status) || state.status === "cancelled") return task;
  // The call was interrupted, and has no result.
  if (state.message !== null) return { ...task, error: { code: -32_603, message: state.message } };
  const end = await tasks.getEnd(found, caller);
  if (end === null)
    return { ...task, status: "failed", error: { code: -32_603, message: "The call was not recorded" } };
  // A result with `error` marks itself as an error.
  if ("error" in end) return { ...task, status: "failed", ...failed(end.error) };
  return { ...task, status: "completed", result: project(end, server, caller.view, found) };
}

/** Reads the record of a call that an earlier connection began again and again, until it has ended. */
async function awaitEnd(
  found: FoundTask,
  tasks: GatewayTasks,
  caller: TaskCaller,
  pollMs: number,
  signal: AbortSignal,
): Promise<TaskEnd> {
  for (;;) {
    const end = await tasks.getEnd(found, caller);
    if (end !== null) return end;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    signal.throwIfAborted();
    await tasks.find(found.stored.id, caller);
  }
}

/** @throws the protocol's error with which the call ended */
function project(end: TaskEnd, server: CatalogServer, view: CatalogView, { stored }: FoundTask): Result {
  if ("error" in end) throw end.error;
  return server.projectCallToolResult(end.result as never, view.find(stored.calledAs)?.outputSchema) as Result;
}

function failed(error: unknown): { statusMessage: string; error: Params } {
  const { code, message, data } = error as ProtocolError;
  return { statusMessage: message, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function requireExtension(clientCapabilities: unknown): void {
  if (knowsTasks(clientCapabilities, TASKS_EXTENSION)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
