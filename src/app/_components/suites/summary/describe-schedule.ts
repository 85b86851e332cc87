import type { SuiteSchedule } from "@/lib/contract/suite";
import { formatPlural } from "@/lib/format";

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
] as const;

/** `Every 6 hours`, `0 6 * * 1-5 (UTC)`. */
export function describeSchedule(schedule: SuiteSchedule): string {
  if ("cron" in schedule) return `${schedule.cron} (${schedule.timeZone})`;
  const [ms, unit] = UNITS.find(([each]) => schedule.everyMs % each === 0) ?? [1_000, "second"];
  return `Every ${formatPlural(Math.round(schedule.everyMs / ms), unit)}`;
}
