import type { Actor } from "../../../lib/contract/actor";
import type { ChangeReplay, ReplayBaseline, ReplayRequest } from "../../../lib/contract/change-review";
import type { ReplayVerdict } from "../../../lib/contract/change-verdict";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import { catalogToolName } from "../../../lib/portable-name";
import type { TrafficChecker } from "../../engine/changes/traffic-ports";
import type { ConnectionSettings, McpConnections } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Locks } from "../../platform/coordination/locks";
import { AppError } from "../../platform/shared/app-error";
import type { WaitingChange } from "./change-reports";
import { type ReplayedTool, replayTool, sampleCalls } from "./replay-tool";
import type { ReportStore } from "./report-store";
import type { TrafficStore } from "./traffic-store";

/** The longest that all calls of a replay may take. */
const REPLAY_MS = 300_000;
/** Progress is stored at most this often. */
const PROGRESS_MS = 1_000;

export interface ReplayPorts {
  store: ReportStore;
  traffic: TrafficStore;
  checker: Pick<TrafficChecker, "prepare">;
  connections: Pick<McpConnections, "apply" | "remove" | "ready" | "call">;
  execute: Parameters<typeof replayTool>[1]["execute"];
  /** The tool as clients know it; null where it is not in the catalog, or each of its calls requires approval. */
  findDefinition: (catalogName: string) => ToolDefinition | null;
  calls: CallRegistry;
  /** One replay of a server at all instances. */
  locks: Pick<Locks, "acquire">;
  waitingChanges: (server: string) => readonly WaitingChange[];
  /** Settings of a connection of its own to the version that clients have used so far. @throws AppError */
  toBaseline: (server: string, baseline: NonNullable<ReplayBaseline>, connection: string) => ConnectionSettings;
  clock: Clock;
  logger: Logger;
  publish: (server: string) => void;
}

/** A new tool has no calls, and one that is gone takes none. */
export function isReplayable({ before, after }: WaitingChange): boolean {
  return before !== null && after !== undefined;
}

/** One replay of a server at a time, at the instance that was asked; any instance cancels it. */
export function createReplays(ports: ReplayPorts) {
  const { store, clock, logger, publish } = ports;
  const tasks = createBackgroundTasks({ kind: "change_replay", what: "the replay", calls: ports.calls });

  async function listTools(server: string): Promise<WaitingChange[]> {
    const allowed = new Set((await store.replayable(server)).map(({ tool }) => tool));
    return ports.waitingChanges(server).filter((change) => isReplayable(change) && allowed.has(change.tool));
  }

  return {
    /** Answers once the replay has begun. */
    async startReplay(actor: Actor, server: string, { budget, baseline }: ReplayRequest): Promise<{ tools: string[] }> {
      const tools = await listTools(server);
      if (tools.length === 0) {
        throw new AppError("INVALID", `No changed tool of '${server}' may be replayed: allow tools for replays first`);
      }
      const settings = baseline === null ? null : ports.toBaseline(server, baseline, `${server}~current`);
      const lease = await ports.locks.acquire(`change_replay ${server}`, REPLAY_MS);
      if (lease === null)
        throw new AppError("CONFLICT", `A replay of '${server}' is running: wait for it, or cancel it`);
      const release = (): Promise<void> =>
        lease.release().catch((err: unknown) => logger.warn({ err, server }, "The lease of a replay stays"));
      const limit = AbortSignal.any([lease.signal, AbortSignal.timeout(REPLAY_MS)]);
      const replay = { actor, server, tools, budget, settings };
      try {
        await tasks.start({
          id: server,
          save: () => writeAll(ports, replay, toReplay(replay, clock.now())),
          async perform({ signal }) {
            await runReplay(ports, {
              ...replay,
              signal: AbortSignal.any([signal, limit]),
              isCancelled: () => signal.aborted,
            });
            await release();
            publish(server);
          },
        });
      } catch (error) {
        await release();
        throw error;
      }
      return { tools: tools.map(({ tool }) => tool) };
    },

    /** False where none runs at any instance. */
    async cancelReplay(_actor: Actor, server: string): Promise<{ cancelled: boolean }> {
      return { cancelled: await tasks.cancel(server) };
    },

    /** A replay whose process ended is no longer running. */
    settle: (replay: ChangeReplay | null): ChangeReplay | null => {
      if (replay?.status !== "running" || replay.startedAt > clock.now() - REPLAY_MS - 2 * PROGRESS_MS) return replay;
      return { ...replay, status: "failed", error: "The server was stopped during the replay" };
    },

    stop: (): void => void tasks.close(),
  };
}

interface NewReplay {
  actor: Actor;
  server: string;
  tools: readonly WaitingChange[];
  budget: number;
  /** Null where recorded results take the place of the current version. */
  settings: ConnectionSettings | null;
}

interface RunningReplay extends NewReplay {
  signal: AbortSignal;
  isCancelled: () => boolean;
}

function toReplay({ actor, settings }: Pick<NewReplay, "actor" | "settings">, startedAt: number): ChangeReplay {
  const by = { id: actor.id, name: actor.name };
  const baseline = settings === null ? "recorded" : "current";
  return { status: "running", startedAt, endedAt: null, by, baseline, verdict: null, error: null };
}

async function writeAll({ store, publish }: ReplayPorts, { server, tools }: NewReplay, replay: ChangeReplay) {
  for (const { tool, hash } of tools) await store.writeReplay({ server, tool, hash }, replay);
  publish(server);
}

/** Never rejects. */
async function runReplay(ports: ReplayPorts, replay: RunningReplay): Promise<void> {
  const { clock, connections, logger } = ports;
  const { server, tools, settings, signal, budget } = replay;
  const startedAt = clock.now();
  const each = Math.floor(budget / tools.length);
  try {
    if (settings !== null) {
      connections.apply(settings);
      const state = await connections.ready(settings.name, signal);
      if (state.status !== "connected") {
        throw new Error(`The current version does not connect: ${state.reason ?? state.status}`);
      }
    }
    for (const change of tools) await replayOne(ports, replay, change, { each, startedAt });
  } catch (error) {
    const message = getMessage(error);
    logger.warn({ server, error: message }, "A replay of recorded calls ended early");
    const ended = { ...toReplay(replay, startedAt), endedAt: clock.now() };
    const status = replay.isCancelled() ? "cancelled" : "failed";
    await settleOpen(ports, replay, { ...ended, status, error: status === "failed" ? message : null }).catch(
      () => undefined,
    );
  } finally {
    // Not awaited: the next replay may begin, and its connection waits for the end of this one.
    if (settings !== null) void connections.remove(settings.name).catch(() => undefined);
  }
}

/** Tools whose replay had ended keep their verdict. */
async function settleOpen(
  { store }: ReplayPorts,
  { server, tools }: RunningReplay,
  ended: ChangeReplay,
): Promise<void> {
  const known = new Map((await store.list(server)).map((report) => [report.tool, report]));
  for (const { tool, hash } of tools) {
    const report = known.get(tool);
    if (report?.hash !== hash || report.replay?.status !== "running") continue;
    await store.writeReplay({ server, tool, hash }, { ...ended, verdict: report.replay.verdict });
  }
}

/** Null where calls were made. */
function explainNothing(samples: number, calls: number): string | null {
  if (calls > 0) return null;
  return samples === 0
    ? "No recorded call can be replayed: they are masked, failed, or no longer accepted"
    : "The budget is too small for so many tools: each call of a tool takes two or three";
}

async function replayOne(
  ports: ReplayPorts,
  { actor, server, settings, signal }: RunningReplay,
  change: WaitingChange,
  { each, startedAt }: { each: number; startedAt: number },
): Promise<void> {
  const { store, traffic, checker, clock, publish } = ports;
  const { tool, hash, before, after } = change;
  const catalogName = catalogToolName(server, tool);
  const write = async (part: Partial<ChangeReplay>): Promise<void> => {
    const base = toReplay({ actor, settings }, startedAt);
    await store.writeReplay({ server, tool, hash }, { ...base, ...part });
    publish(server);
  };
  const definition = ports.findDefinition(catalogName);
  if (definition === null) {
    const error = "Its calls require approval, or the tool is switched off: it is not replayed";
    return await write({ status: "failed", endedAt: clock.now(), error });
  }
  const checkCalls = checker.prepare({ before: before?.entry, after });
  const samples = await sampleCalls({ store: traffic, checkCalls }, catalogName, each);
  let writtenAt = clock.now();
  const onProgress = (verdict: ReplayVerdict): void => {
    if (clock.now() - writtenAt < PROGRESS_MS) return;
    writtenAt = clock.now();
    void write({ verdict: structuredClone(verdict) }).catch(() => undefined);
  };
  const replayed: ReplayedTool = {
    tool,
    definition,
    samples,
    budget: each,
    candidate: server,
    current: settings?.name ?? null,
    actor,
    signal,
  };
  const verdict = await replayTool(replayed, { mcp: ports.connections, execute: ports.execute, onProgress });
  const error = explainNothing(samples.length, verdict.calls);
  await write({ status: "succeeded", endedAt: clock.now(), verdict, error });
}
