import type { StatisticsReport } from "../../../lib/contract/statistics";
import type { Clock, Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { type ReportRequest, readReport } from "./statistics-report";
import type { StatisticsReads, StatisticsUpkeep } from "./statistics-store";

/** Keeps the statistics: rebuilds them after an upgrade, and removes figures by minute that are old. */
const STATISTICS_JOB = "statistics";

const HOUR_MS = 3_600_000;

interface StatisticsPorts {
  reads: StatisticsReads;
  upkeep: StatisticsUpkeep;
  jobs: Jobs;
  clock: Pick<Clock, "now">;
  logger: Logger;
}

export function createStatisticsService({ reads, upkeep, jobs, clock, logger }: StatisticsPorts) {
  async function rebuild(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    let begins = performance.now();
    while (await upkeep.rebuildSome(signal)) {
      if (signal.aborted) return;
      // Other work gets as much time as each step took.
      const pauseMs = performance.now() - begins;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      begins = performance.now();
    }
    logger.info({ tookMs: Math.round(performance.now() - begun) }, "Statistics were rebuilt from the recorded calls");
  }

  const count = async (signal: AbortSignal): Promise<void> => {
    if (!(await upkeep.isRebuilding()) && !(await upkeep.isComplete())) {
      logger.warn({}, "Statistics differ from the recorded calls, so they are rebuilt");
      await upkeep.beginRebuild();
    }
    if (await upkeep.isRebuilding()) await rebuild(signal);
    // Instances that have ended may have left uncounted calls.
    while (!signal.aborted && (await upkeep.countSome())) await new Promise((resolve) => setImmediate(resolve));
    while (!signal.aborted && (await upkeep.removeOldMinutes())) await new Promise((resolve) => setImmediate(resolve));
  };
  jobs.repeat(STATISTICS_JOB, HOUR_MS, count, { staysInside: true });

  return {
    ...reads,
    /** The figures of a period, by step or group where requested. */
    report: (request: ReportRequest): Promise<StatisticsReport> => readReport(reads, request),
    /** Counts at the start, so that figures are not incomplete until the job runs. */
    async load(): Promise<void> {
      if (await upkeep.isRebuilding()) {
        await jobs.schedule({ kind: STATISTICS_JOB, key: "all", runAt: clock.now() });
      }
    },
  };
}
