import type { Actor } from "../../../lib/contract/actor";
import type { SuiteRun } from "../../../lib/contract/suite";
import type { Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { findAppError } from "../../platform/shared/app-error";
import { findNextRun } from "./suite-edits";
import type { StoredSuite, SuiteStore } from "./suite-store";

/** Stored queues have jobs of this name from earlier versions. */
const KIND = "tests.schedule";

export interface SchedulePorts {
  store: SuiteStore;
  jobs: Pick<Jobs, "handle" | "schedule">;
  logger: Logger;
  now: () => number;
  newId: () => string;
  /** Why a schedule may no longer call for this user; null where it may. */
  findDenial: (actor: Actor) => Promise<string | null>;
  start: (actor: Actor, suite: StoredSuite) => Promise<unknown>;
  /** Called after a run that could not begin. */
  onChange: (run: SuiteRun) => void;
}

/** Runs suites at their times: a job for each, which any instance of the server may run. */
export function createSuiteSchedules({ store, jobs, logger, now, newId, findDenial, start, onChange }: SchedulePorts) {
  async function order({ id, nextRunAt }: Pick<StoredSuite, "id" | "nextRunAt">): Promise<void> {
    if (nextRunAt !== null) await jobs.schedule({ kind: KIND, key: id, runAt: nextRunAt });
  }

  /** Moves the time on first: a run that cannot begin is not tried again and again. */
  async function runDue(id: string): Promise<{ runAt: number } | undefined> {
    const suite = await store.findSuiteById(id);
    if (suite === null || suite.nextRunAt === null || suite.schedule === null) return undefined;
    if (suite.nextRunAt > now()) return { runAt: await keepWithinRule(suite, suite.nextRunAt) };
    const next = findNextRun(suite.schedule, now());
    if (await store.claimNextRun(id, suite.nextRunAt, next)) await startRun(suite);
    return next === null ? undefined : { runAt: next };
  }

  async function startRun(suite: StoredSuite): Promise<void> {
    if ((await store.newestRuns()).get(suite.id)?.status === "running") {
      logger.warn({ suite: suite.name }, "A scheduled suite is still running: this time is left out");
      return;
    }
    const actor = suite.scheduledBy;
    if (actor === null) return;
    const isEmpty = suite.kind === "tests" && suite.tests.length === 0;
    const denial = isEmpty ? "The suite has no tests" : await findDenial(actor);
    if (denial !== null) {
      await recordUnstarted(suite, actor, `${denial}: edit the suite, or save it again to run it for you`);
      return;
    }
    try {
      await start(actor, suite);
    } catch (error) {
      const refusal = findAppError(error);
      if (refusal === null || refusal.code === "UNAVAILABLE") throw error;
      await recordUnstarted(suite, actor, refusal.message);
    }
  }

  /** A run without cases that says why there are none. */
  async function recordUnstarted(suite: StoredSuite, actor: Actor, error: string): Promise<void> {
    const id = newId();
    const at = now();
    const { name, id: suiteId, runWith } = suite;
    const run = { id, name, suiteId, actor, trigger: "schedule", startedAt: at, total: 0 } as const;
    const stored =
      runWith === null
        ? await store.createRun({ ...run, kind: "tests" })
        : await store.createEvalRun({ ...run, ...runWith, edited: null, items: [] });
    if (stored === null) return;
    await store.finishRun(id, { status: "failed", finishedAt: at, error });
    onChange({ ...stored, status: "failed", finishedAt: at, error });
  }

  /** A time that was stored while the clock was ahead would come too late. @returns the time that the rule allows */
  async function keepWithinRule(suite: StoredSuite, nextRunAt: number): Promise<number> {
    const latest = suite.schedule === null ? null : findNextRun(suite.schedule, now());
    if (latest === null || latest >= nextRunAt) return nextRunAt;
    return (await store.claimNextRun(suite.id, nextRunAt, latest)) ? latest : nextRunAt;
  }

  jobs.handle(KIND, ({ key }) => runDue(key));
  return {
    order,
    /** Orders the jobs of all schedules, at times that their rules allow. */
    async orderAll(): Promise<void> {
      for (const { id, nextRunAt } of await store.scheduled()) {
        const suite = await store.findSuiteById(id);
        if (suite !== null) await order({ id, nextRunAt: await keepWithinRule(suite, nextRunAt) });
      }
    },
  };
}
