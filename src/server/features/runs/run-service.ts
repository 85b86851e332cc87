import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { Actor } from "../../../lib/contract/actor";
import type { RunFilter, RunPage, RunSettings } from "../../../lib/contract/run";
import type { RunStarter } from "../../engine/agent/run-ports";
import { createContinuedRuns } from "./continued-runs";
import { createNewRuns } from "./new-runs";
import { createRunContext } from "./run-context";
import { createRunDetails } from "./run-details";
import type { RunServicePorts } from "./run-ports";
import { createRunRecovery } from "./run-recovery";
import { stopHere, stopRun } from "./stop-run";

/** Runs of a model with tools, in the background; every event is stored. */
export function createRunService(ports: RunServicePorts) {
  const context = createRunContext({ ...ports, tools: offeredTools(ports.tools) });
  const { store, activeRuns } = context;
  const { start, rerun } = createNewRuns(context);
  const { resume, send } = createContinuedRuns(context);
  const starter: RunStarter = { start, stop: (id) => stopRun(context, id) };
  ports.calls?.handle("run", async (id) => (await stopHere(context, id)) === true);

  return {
    starter,
    rerun,
    stop: (_actor: Actor, id: string): Promise<{ stopped: boolean }> => stopRun(context, id),
    resume: (actor: Actor, id: string): Promise<{ id: string }> => resume(id, actor),
    send,

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

    ...createRunDetails(context),
    ...createRunRecovery(context, (id) => resume(id, null)),

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
