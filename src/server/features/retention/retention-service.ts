import type { Actor } from "../../../lib/contract/actor";
import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import {
  type RetentionPolicy,
  type RetentionPreview,
  type RetentionState,
  type RetentionSweep,
  retentionPolicySchema,
  retentionSweepSchema,
} from "../../../lib/contract/retention";
import type { Logger } from "../../engine/ports";
import type { JobMonitor, Jobs } from "../../platform/coordination/jobs";
import { AppError } from "../../platform/shared/app-error";
import { createMutex } from "../../platform/shared/mutex";
import type { AuditLog } from "../audit/audit-log";
import { planRetention } from "./retention-plan";
import { type SweepPorts, sweep } from "./retention-sweep";

const RETENTION_JOB = "retention.sweep";
const POLICY = "retention.policy";
const SWEEPS = "retention.sweeps";
const EVERY_MS = 60 * 60_000;
/** The number of kept reports about runs that deleted calls or failed. */
const MAX_SWEEPS = 20;
const NO_POLICY = { policy: { rules: [] } as RetentionPolicy, revision: 0, savedAt: null, savedBy: null };

export interface RetentionPorts extends SweepPorts {
  settings: {
    read(key: string): Promise<string | null>;
    write(key: string, value: string): Promise<void>;
    replace(key: string, before: string | null, value: string): Promise<boolean>;
  };
  jobs: Pick<Jobs & JobMonitor, "repeat" | "schedule" | "queues">;
  audit: AuditLog;
  logger: Logger;
  /** Called so that open pages read again. */
  onDeleted(): void;
}

type Saved = Pick<RetentionState, "policy" | "revision" | "savedAt" | "savedBy">;

/** Deletes calls and runs by the rules of the saved policy; without a policy it deletes nothing. */
export function createRetentionService(ports: RetentionPorts) {
  const { settings, jobs, audit, logger, now } = ports;
  const inTurn = createMutex();

  const read = async (): Promise<Saved> => readSaved(await settings.read(POLICY));

  function readSaved(text: string | null): Saved {
    if (text === null) return NO_POLICY;
    const { policy, ...rest } = JSON.parse(text) as Saved;
    const parsed = retentionPolicySchema.safeParse(policy);
    // A policy of a later version, or one that was edited by hand, must not delete by half of its rules.
    if (!parsed.success) logger.error({ key: POLICY }, "The retention policy cannot be read: nothing is deleted by it");
    return { ...rest, policy: parsed.success ? parsed.data : NO_POLICY.policy };
  }

  async function readSweeps(): Promise<RetentionSweep[]> {
    const parsed = retentionSweepSchema.array().safeParse(JSON.parse((await settings.read(SWEEPS)) ?? "[]"));
    return parsed.success ? parsed.data : [];
  }

  async function note(done: RetentionSweep): Promise<void> {
    const earlier = (await readSweeps()).filter(
      ({ executions, runs, error }) => executions + runs > 0 || error !== null,
    );
    await settings.write(SWEEPS, JSON.stringify([done, ...earlier].slice(0, MAX_SWEEPS)));
    const { executions, runs, bytes, error } = done;
    if (executions + runs === 0) return;
    const after = { executions, runs, bytes, ...(error === null ? {} : { error }) };
    logger.info({ retention: after }, "Retention deleted calls and runs");
    await audit.record({
      by: { ...SYSTEM_ACTOR, token: null },
      action: RETENTION_JOB,
      outcome: "done",
      after,
      target: { kind: "retention", name: `${executions} executions, ${runs} runs` },
    });
    ports.onDeleted();
  }

  const scheduleNow = (): Promise<void> => jobs.schedule({ kind: RETENTION_JOB, key: "all", runAt: now() });

  jobs.repeat(RETENTION_JOB, EVERY_MS, async (signal) => {
    const { policy } = await read();
    if (policy.rules.length === 0) return;
    const done = await sweep(ports, policy, signal);
    await note(done);
    if (done.error !== null) throw new Error(done.error);
  });

  /** Whether any instance of the server runs it. */
  async function isRunning(): Promise<boolean> {
    return (await jobs.queues()).some(({ kind, running }) => kind === RETENTION_JOB && running > 0);
  }

  return {
    async get(_actor: Actor): Promise<RetentionState> {
      return { ...(await read()), running: await isRunning(), sweeps: await readSweeps() };
    },

    /** What a policy would delete now, whether it is saved or not. One at a time: it reads every row. */
    preview: (_actor: Actor, policy: RetentionPolicy): Promise<RetentionPreview> =>
      inTurn(async () => {
        const begun = performance.now();
        const { findings } = await planRetention(ports, policy, now());
        return { findings, tookMs: Math.round(performance.now() - begun) };
      }),

    /** @param revision of the policy that the edit began with */
    save: (actor: Actor, policy: RetentionPolicy, revision?: number): Promise<RetentionState> =>
      inTurn(async () => {
        const text = await settings.read(POLICY);
        const before = readSaved(text);
        if (revision !== undefined && revision !== before.revision) throw changedMeanwhile(before);
        const saved: Saved = { policy, revision: before.revision + 1, savedAt: now(), savedBy: actor.name };
        if (!(await settings.replace(POLICY, text, JSON.stringify(saved)))) throw changedMeanwhile(await read());
        await scheduleNow();
        return { ...saved, running: await isRunning(), sweeps: await readSweeps() };
      }),

    /** Starts the next deletion now. */
    sweepNow: (_actor: Actor): Promise<void> => scheduleNow(),
  };
}

function changedMeanwhile({ savedBy }: Saved): AppError {
  const who = savedBy === null ? "" : ` by ${savedBy}`;
  const message = `The retention rules were changed meanwhile${who}. Reload the page and change them again.`;
  return new AppError("CONFLICT", message);
}
