import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { RunEvent, RunStatus } from "../../../lib/contract/run";
import type { TranscriptQuery, TranscriptSettingsInput } from "../../../lib/contract/transcript";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/agent/run-starter";
import { createSingle } from "../../platform/coordination/single-copy.test-support";
import type { Database } from "../../platform/db/database";
import { quietLogger } from "../../platform/db/database.test-support";
import { createTranscriptStore } from "./db/transcript-store";
import type { TranscriptServicePorts } from "./transcript-ports";
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

/** The texts of ended runs, which outlive a server. */
const said = new Map<string, string>();

/** `prefix`: another server's runs have other ids. */
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
            id,
            status: "running",
            source,
            transcriptId,
            provider: settings.provider,
            model: settings.model,
            title: request.title ?? "",
            actorId: actor.id,
            actorName: actor.name,
            startedAt: 0n,
            settings: "{}",
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
      return { status: row.status as RunStatus, error: row.error, events: buildEvents(said.get(id)) };
    },
    async end(id, status, text = "", error = null) {
      said.set(id, text);
      await db().prisma.run.update({ where: { id }, data: { status, error } });
      ends.get(id)?.({ id, status, text, error, events: buildEvents(text) });
    },
  };
  return runs;
}

function buildEvents(text = ""): RunEvent[] {
  const message = { role: "assistant" as const, contents: [{ type: "text" as const, text }] };
  const spent = { firstTokenMs: null, durationMs: 0 };
  return [{ index: 0, at: 0, type: "model_finished", step: 1, message, finishReason: "stop", ...spent }];
}

let lives = 0;

/** A server on this database, as far as transcripts go. */
export async function startTranscripts(scratch: { db: Database }, ports: Partial<TranscriptServicePorts> = {}) {
  lives += 1;
  let ids = 0;
  const prefix = `life${lives}n`;
  const runs = createTestRuns(() => scratch.db, prefix);
  const events: LiveEvent[] = [];
  const service = createTranscriptService({
    ...createSingle(),
    store: createTranscriptStore({ db: scratch.db }),
    runs: runs.starter,
    actor: LOCAL_OWNER,
    getRun: runs.get,
    isPrivateRun: async () => false,
    checkProvider: () => Promise.resolve(),
    clock: { now: Date.now, elapsed: () => performance.now() },
    newId: () => `${prefix}00000${++ids}`,
    logger: quietLogger(),
    publish: (event) => void events.push(event),
    ...ports,
  });
  await service.load();
  return { service, runs, events, stop: service.stop };
}

export const testSettings = (more: Partial<TranscriptSettingsInput> = {}) =>
  transcriptSettingsSchema.parse({ title: "Standup", provider: "demo", model: "demo-1", silenceMs: 200, ...more });

export const queriesOf = async (service: TranscriptService, id: string): Promise<TranscriptQuery[]> =>
  (await service.get(id)).queries;
