import type { Actor } from "../../../lib/contract/actor";
import type { TestRun } from "../../../lib/contract/test-suite";
import type { Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { findNextRun } from "./suites";
import type { StoredSuite, TestStore } from "./test-store";

export interface SchedulePorts {
  store: TestStore;
  jobs: Pick<Jobs, "handle" | "schedule">;
  logger: Logger;
  now: () => number;
  newId: () => string;
  /** Why a schedule may not call for this person any more; null where it may. */
  findDenial: (actor: Actor) => Promise<string | null>;
  start: (actor: Actor, suite: StoredSuite) => Promise<TestRun>;
  /** Called after a run that could not begin. */
  onChange: (run: TestRun) => void;
}

const KIND = "tests.schedule";

/** Runs suites at their times: a job for each, which any copy of the server may run. */
export function createSuiteSchedules({ store, jobs, logger, now, newId, findDenial, start, onChange }: SchedulePorts) {
  async function order({ id, nextRunAt }: Pick<StoredSuite, "id" | "nextRunAt">): Promise<void> {
    if (nextRunAt !== null) await jobs.schedule({ kind: KIND, key: id, runAt: nextRunAt });
  }

  /** Moves the time on first: a run that cannot begin is not tried again and again. */
  async function runDue(id: string): Promise<{ runAt: number } | undefined> {
    const suite = await store.findSuiteById(id);
    if (suite === null || suite.nextRunAt === null || suite.schedule === null) return undefined;
    if (suite.nextRunAt > now()) return { runAt: suite.nextRunAt };
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
    const denial = suite.tests.length === 0 ? "The suite has no tests" : await findDenial(actor);
    if (denial === null) await start(actor, suite);
    else await recordUnstarted(suite, actor, `${denial}: edit the suite, or save it again to run it for you`);
  }

  /** A run without calls that says why there are none. */
  async function recordUnstarted(suite: StoredSuite, actor: Actor, error: string): Promise<void> {
    const [id, at] = [newId(), now()];
    const run = { id, kind: "suite", name: suite.name, trigger: "schedule", suiteId: suite.id } as const;
    const stored = await store.createRun({ ...run, actor, startedAt: at, total: 0 });
    await store.finishRun(id, { status: "failed", finishedAt: at, error });
    onChange({ ...stored, status: "failed", finishedAt: at, error });
  }

  jobs.handle(KIND, ({ key }) => runDue(key));
  return { order };
}
