import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { Actor } from "../../../lib/contract/actor";
import type { RunFilter, RunPage, RunSettings, ToolSelection } from "../../../lib/contract/run";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { RunStarter } from "../../engine/agent/run-starter";
import { createActiveRuns } from "./active-runs";
import { createRunDetails } from "./run-details";
import { listExampleTools } from "./run-invocation";
import type { RunServicePorts } from "./run-ports";
import { createRunRecovery } from "./run-recovery";
import { createContinuedRuns, createNewRuns } from "./run-starts";

/** Runs of a model with tools, in the background; every event is stored. */
export function createRunService(given: RunServicePorts) {
  const ports = { ...given, tools: offeredTools(given.tools) };
  const { store } = ports;
  const activeRuns = createActiveRuns(ports);
  const { start, rerun } = createNewRuns(ports, activeRuns);
  const { resume, send, takeOver } = createContinuedRuns(ports, activeRuns);
  const { stop, stopHere, decided, load, settleLost } = createRunRecovery(ports, activeRuns, { resume, takeOver });
  const starter: RunStarter = { start, stop };
  ports.copies.onExpelled(async () => activeRuns.abandon());
  ports.calls?.handle("run", async (id) => (await stopHere(id)) === true);

  return {
    starter,
    rerun,
    stop: (_actor: Actor, id: string): Promise<{ stopped: boolean }> => stop(id),
    resume: (actor: Actor, id: string): Promise<{ id: string }> => resume(id, actor),
    send,

    activeCount: activeRuns.count,
    has: async (id: string): Promise<boolean> => (await store.find(id)) !== null,

    /** @param input its `id` is one that no run has; made here when absent */
    async start(actor: Actor, input: { id?: string; settings: RunSettings; text: string }): Promise<{ id: string }> {
      const { id } = await start({ ...input, actor, source: "agent" });
      return { id };
    },

    async list(filter: RunFilter, cursor: number | undefined, limit: number): Promise<RunPage> {
      const items = await store.list(filter, { cursor, limit });
      return { items, nextCursor: items.length < limit ? null : (items.at(-1)?.seq ?? null) };
    },

    /** Requests that call the tools of a selection. */
    examples: async (tools: ToolSelection): Promise<{ items: string[] }> => ({
      items: ports.listExamples(listExampleTools(tools, ports).map(toChatTool)),
    }),

    ...createRunDetails(ports, activeRuns),
    decided,
    load,
    settleLost,

    /** Refuses new runs and aborts model requests; calls continue until the executions stop. */
    beginStop: activeRuns.beginStop,
    /** Resolves when every run is stored. */
    ended: activeRuns.ended,
  };
}

/** Without the tools that only Apps may call. */
function offeredTools(tools: RunServicePorts["tools"]): RunServicePorts["tools"] {
  return {
    list: () => tools.list().filter((tool) => isVisibleTo(tool, "model")),
    get: (name) => tools.get(name),
  };
}
