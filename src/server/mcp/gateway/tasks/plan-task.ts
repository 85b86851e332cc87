import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { getTaskSupport, TASKS_EXTENSION } from "../../../../lib/mcp-tasks";
import type { CallArguments } from "../../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../../engine/executor/tool-executor";
import type { CallContext } from "../../fast-path/call-context";
import type { CatalogView } from "../catalog/catalog-view";
import type { GatewayLimits } from "../gateway-ports";
import type { TaskPlan } from "../pending-input";
import { type GatewayTasks, knowsTasks } from "./gateway-tasks";
import type { TaskState } from "./running-task";
import { toSessionTask, toStatelessTask } from "./task-answers";
import { notifyStatus, openTaskChannel, type TaskPeer } from "./task-channel";

/** The longest time of a timer: the request for approval expires sooner. */
const WITHOUT_LIMIT_MS = 2_147_483_647;

interface PlannedCall {
  name: string;
  args: CallArguments;
  stateless: boolean;
  clientCapabilities: unknown;
  task?: { ttlMs: number | null; peer: TaskPeer } | undefined;
}

export interface PlannedTask extends TaskPlan {
  settings: Partial<ExecuteOptions>;
  /** @throws ProtocolError where there is no room */
  admit(): Promise<void>;
}

/** Null for a call that stays one: its client knows no tasks, or asks for a tool that there is not. */
export function planTask(
  { tasks }: { tasks: GatewayTasks | null },
  { taskPollMs }: GatewayLimits,
  view: CatalogView,
  { name, args, stateless, clientCapabilities, task: wanted }: PlannedCall,
  ctx: CallContext,
): PlannedTask | null {
  if (tasks === null || (stateless ? !knowsTasks(clientCapabilities, TASKS_EXTENSION) : wanted === undefined))
    return null;
  const tool = view.find(name);
  if (tool === undefined && view.resolve(name, args) === null) return null;
  if (wanted !== undefined && forbidsTasks(tool)) {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Tool '${name}' cannot be called as a task`);
  }
  const caller = { view, sessionId: wanted?.peer.sessionId ?? null };
  const dueMs = wanted === undefined ? tasks.dueMs(tool) : 0;
  return {
    dueMs,
    settings: { approvalWaitMs: WITHOUT_LIMIT_MS, ...(dueMs === 0 ? { asTask: true } : {}) },
    async admit() {
      const full = await tasks.findNoRoom(caller);
      if (full !== null) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, full);
    },
    async create(pending, outcome): Promise<Result | null> {
      if (wanted === undefined) {
        if ((await tasks.findNoRoom(caller)) !== null) return null;
        const { stored } = await tasks.adopt(caller, pending, outcome, { ttlMs: null });
        return { resultType: "task", ...toStatelessTask(stored, seed(stored.createdAt), taskPollMs) };
      }
      const { peer, ttlMs } = wanted;
      const task = await tasks.adopt(caller, pending, outcome, {
        ttlMs,
        onStatus: (each) => notifyStatus(each, peer, taskPollMs),
      });
      pending.listener.ctx = openTaskChannel(task, peer, ctx.mcpReq._meta);
      return { task: toSessionTask(task.stored, seed(task.stored.createdAt), taskPollMs) };
    },
  };
}

/** Whether tasks are forbidden: by the server of a tool, or for the gateway's own tools. */
export function forbidsTasks(tool: ToolDefinition | undefined): boolean {
  return tool === undefined || getTaskSupport(tool.listed) === "forbidden";
}

/** A task starts as working, regardless of later changes. */
function seed(createdAt: number): TaskState {
  return { status: "working", message: null, updatedAt: createdAt };
}
