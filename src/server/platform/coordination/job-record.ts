import type { JobFailure, JobQueue } from "../../../lib/contract/job";

const MAX_FAILURES = 20;
const MAX_ERROR_CHARS = 500;

type Figures = Pick<JobQueue, "lastRunAt" | "lastMs" | "succeeded" | "failed" | "failures">;

export type JobRecord = ReturnType<typeof createJobRecord>;

/** How the jobs of each kind ended since the start. */
export function createJobRecord(now: () => number) {
  const byKind = new Map<string, Figures>();

  function change(kind: string, key: string, lastMs: number): Figures {
    const found = byKind.get(kind) ?? { lastRunAt: null, lastMs: null, succeeded: 0, failed: 0, failures: [] };
    const failures = found.failures.filter((failure) => failure.key !== key);
    const changed = { ...found, failures, lastRunAt: now(), lastMs };
    byKind.set(kind, changed);
    return changed;
  }

  return {
    read: (kind: string): Figures =>
      byKind.get(kind) ?? { lastRunAt: null, lastMs: null, succeeded: 0, failed: 0, failures: [] },
    succeed(kind: string, key: string, tookMs: number): void {
      change(kind, key, tookMs).succeeded += 1;
    },
    fail(kind: string, failure: JobFailure, tookMs: number): void {
      const figures = change(kind, failure.key, tookMs);
      figures.failed += 1;
      const error = failure.error.slice(0, MAX_ERROR_CHARS);
      figures.failures = [{ ...failure, error }, ...figures.failures].slice(0, MAX_FAILURES);
    },
  };
}
