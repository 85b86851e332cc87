import type { JSONRPCMessage, JSONRPCRequest, Server } from "@modelcontextprotocol/server";
import { RELATED_TASK } from "../../../../lib/mcp-tasks";
import { type CallContext, createCallContext } from "../../fast-path/call-context";
import type { RunningTask } from "./running-task";
import { toSessionTask } from "./task-answers";

/** The session that a task was created in. */
export interface TaskPeer extends Pick<Server, "notification"> {
  sessionId: string | null;
  logLevel: string | null;
}

/** Where the call of a task sends its progress and log lines: to an open `tasks/result`, else to the session's own stream. */
export function openTaskChannel(
  task: RunningTask,
  peer: TaskPeer,
  meta: Record<string, unknown> | undefined,
): CallContext {
  const related = { [RELATED_TASK]: { taskId: task.stored.id } };
  const send = async (message: JSONRPCMessage): Promise<void> => {
    if (!("method" in message)) return;
    const params = { ...message.params, _meta: { ...message.params?._meta, ...related } };
    const notification = { method: message.method, params } as never;
    const { stream } = task;
    await (stream === null ? peer.notification(notification) : stream.mcpReq.notify(notification));
  };
  const request = { jsonrpc: "2.0", id: task.stored.id, method: "tools/call", params: meta ? { _meta: meta } : {} };
  return createCallContext(
    request as JSONRPCRequest,
    { send },
    {
      controller: task.pending.controller,
      envelope: undefined,
      logLevel: () => peer.logLevel ?? undefined,
      ask: () => Promise.reject(new Error("a task asks on the stream of its result")),
    },
  );
}

/** Clients may ignore the notification, since they poll as well. */
export function notifyStatus(task: RunningTask, peer: TaskPeer, pollMs: number): void {
  const params = toSessionTask(task.stored, task.state, pollMs);
  peer.notification({ method: "notifications/tasks/status", params } as never).catch(() => {});
}
