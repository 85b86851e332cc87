import {
  type LiveEvent,
  LOCAL_OWNER,
  type RunEvent,
  type RunStatus,
  type TranscriptQuery,
  type TranscriptSettingsInput,
} from "../../../lib/contract";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { createFileTail } from "../../adapters/file-tail";
import { createTestCoordination, type TestCoordinationOptions } from "../../db/coordination.test-support";
import type { Database } from "../../db/database";
import { quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { createTranscriptStore } from "../../db/stores/transcript-store";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/agent/run-ports";
import type { TranscriptServicePorts, Webhook } from "./transcript-ports";
import { createTranscriptService, type TranscriptService } from "./transcript-service";

/** For tests: runs that end when they are told to, with their row in the database as real ones have it. */
interface TestRuns {
  starter: RunStarter;
  requests: (RunRequest & { id: string })[];
  /** Why the next ones cannot be started. */
  refusal: Error | null;
  get(id: string): Promise<{ status: RunStatus; error: string | null; events: RunEvent[] } | null>;
  end(id: string, status: RunStatus, text?: string, error?: string | null): Promise<void>;
}

/** The texts of ended runs, which all processes can read. */
const said = new Map<string, string>();

/** `prefix`: another process's runs have other ids. */
export function createTestRuns(db: () => Database, prefix: string): TestRuns {
  const ends = new Map<string, (outcome: RunOutcome) => void>();
  let count = 0;
  const runs: TestRuns = {
    requests: [],
    refusal: null,
    starter: {
      async start(request) {
        if (runs.refusal !== null) throw runs.refusal;
        count += 1;
        const id = request.id ?? `run_${prefix}${count}`;
        const { source, transcriptId = null, settings, actor } = request;
        await db().prisma.run.create({
          data: {
            ...{ id, status: "running", source, transcriptId, provider: settings.provider, model: settings.model },
            ...{ title: request.title ?? "", actorId: actor.id, actorName: actor.name, startedAt: 0n },
            ...{ instanceId: "test", settings: "{}" },
          },
        });
        runs.requests.push({ ...request, id });
        return { id, ended: new Promise((resolve) => ends.set(id, resolve)) };
      },
      stop: async () => ({ stopped: false }),
    },
    async get(id) {
      const row = await db().prisma.run.findUnique({ where: { id } });
      if (row === null) return null;
      return { status: row.status as RunStatus, error: row.error, events: eventsOf(said.get(id)) };
    },
    async end(id, status, text = "", error = null) {
      said.set(id, text);
      await db().prisma.run.update({ where: { id }, data: { status, error } });
      ends.get(id)?.({ id, status, text, error, events: eventsOf(text) });
    },
  };
  return runs;
}

function eventsOf(text = ""): RunEvent[] {
  const message = { role: "assistant" as const, contents: [{ type: "text" as const, text }] };
  const spent = { firstTokenMs: null, durationMs: 0 };
  return [{ index: 0, at: 0, type: "model_finished", step: 1, message, finishReason: "stop", ...spent }];
}

let lives = 0;

interface TestProcessOptions extends TestCoordinationOptions {
  webhook?: Webhook["post"];
  ports?: Partial<TranscriptServicePorts>;
  /** How far the clock by which it judges leases is ahead. */
  clockAheadMs?: number;
}

/** A process of the server, as far as transcripts go. */
export async function startTranscripts(
  scratch: Pick<ScratchDatabase, "db">,
  folder: string,
  { webhook, ports, clockAheadMs = 0, ...more }: TestProcessOptions = {},
) {
  lives += 1;
  let ids = 0;
  const prefix = `life${lives}n`;
  const runs = createTestRuns(() => scratch.db, prefix);
  const events: LiveEvent[] = [];
  const posted: { url: string; body: unknown }[] = [];
  const clock = { now: Date.now, elapsed: () => performance.now() };
  const coordination = createTestCoordination(scratch.db, { ...clock, now: () => Date.now() + clockAheadMs }, more);
  const { changes, jobs, locks, calls } = coordination;
  await coordination.join();
  const service = createTranscriptService({
    ...{ jobs, locks, calls, clock },
    store: createTranscriptStore({ db: scratch.db }),
    runs: runs.starter,
    actor: LOCAL_OWNER,
    getRun: runs.get,
    isPrivateRun: () => false,
    checkProvider: () => Promise.resolve(),
    fileTail: createFileTail({ allowedFolders: [folder], pollMs: 10 }),
    webhook: {
      async post(url, body, signal) {
        posted.push({ url, body });
        return (await webhook?.(url, body, signal)) ?? { ok: true };
      },
    },
    newId: () => `${prefix}00000${++ids}`,
    logger: quietLogger(),
    publish(event) {
      events.push(event);
      // The last changes may come after the database is closed.
      if (event.type === "transcript") changes.record("transcripts", event.transcriptId).catch(() => undefined);
    },
    ...ports,
  });
  changes.subscribe("transcripts", service.noteChange);
  await service.load();
  await coordination.start();
  const stop = async (): Promise<void> => {
    await coordination.stop();
    await service.stop();
    await coordination.close();
  };
  return { service, runs, events, posted, coordination, stop };
}

export const testSettings = (more: Partial<TranscriptSettingsInput> = {}) =>
  transcriptSettingsSchema.parse({ title: "Standup", provider: "demo", model: "demo-1", silenceMs: 200, ...more });

export const queriesOf = async (service: TranscriptService, id: string): Promise<TranscriptQuery[]> =>
  (await service.get(id)).queries;
