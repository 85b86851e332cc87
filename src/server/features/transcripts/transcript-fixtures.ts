import { vi } from "vitest";
import type { LiveEvent, RunEvent, RunStatus, TranscriptQuery, TranscriptSettingsInput } from "../../../lib/contract";
import { transcriptSettingsSchema } from "../../../lib/contract/transcript";
import { createFileTail } from "../../adapters/file-tail";
import type { Database } from "../../db/database";
import { quietLogger, type ScratchDatabase } from "../../db/test-database";
import type { RunOutcome, RunRequest, RunStarter } from "../../engine/run-ports";
import type { TranscriptServicePorts, Webhook } from "./transcript-ports";
import { createTranscriptService, type TranscriptService } from "./transcript-service";
import { createTranscriptStore } from "./transcript-store";

/** For tests: runs that end when they are told to, with their row in the database as real ones have it. */
interface TestRuns {
  starter: RunStarter;
  requests: (RunRequest & { id: string })[];
  /** Why the next ones cannot be started. */
  refusal: Error | null;
  get(id: string): Promise<{ status: RunStatus; error: string | null; events: RunEvent[] } | null>;
  end(id: string, status: RunStatus, text?: string, error?: string | null): Promise<void>;
}

/** `prefix`: another process's runs have other ids. */
export function createTestRuns(db: () => Database, prefix: string): TestRuns {
  const ends = new Map<string, (outcome: RunOutcome) => void>();
  const said = new Map<string, string>();
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

/** A busy machine takes its time. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 15_000 });

let lives = 0;

/** A process of the server, as far as transcripts go. */
export async function startTranscripts(
  scratch: ScratchDatabase,
  folder: string,
  options: { webhook?: Webhook["post"]; ports?: Partial<TranscriptServicePorts> } = {},
) {
  lives += 1;
  let ids = 0;
  const prefix = `life${lives}n`;
  const runs = createTestRuns(() => scratch.db, prefix);
  const events: LiveEvent[] = [];
  const posted: { url: string; body: unknown }[] = [];
  const service = createTranscriptService({
    store: createTranscriptStore({ db: scratch.db }),
    runs: runs.starter,
    getRun: runs.get,
    checkProvider: () => Promise.resolve(),
    fileTail: createFileTail({ allowedFolders: [folder], pollMs: 10 }),
    webhook: {
      async post(url, body, signal) {
        posted.push({ url, body });
        return (await options.webhook?.(url, body, signal)) ?? { ok: true };
      },
    },
    clock: { now: Date.now, elapsed: () => performance.now() },
    newId: () => `${prefix}00000${++ids}`,
    logger: quietLogger(),
    publish: (event) => events.push(event),
    ...options.ports,
  });
  await service.load();
  return { service, runs, events, posted, stop: () => service.stop() };
}

export const testSettings = (more: Partial<TranscriptSettingsInput> = {}) =>
  transcriptSettingsSchema.parse({ title: "Standup", provider: "demo", model: "demo-1", silenceMs: 200, ...more });

export const queriesOf = async (service: TranscriptService, id: string): Promise<TranscriptQuery[]> =>
  (await service.get(id)).queries;
