// Checks recorded calls by a change of their tool: parsing and validating 100,000 of them takes seconds of processor time.
import { createCallCheck } from "../engine/changes/check-call";
import type { ChangedEntries, CheckedCall, RecordedCall } from "../engine/changes/traffic-ports";
import { compileSchema } from "../platform/workers/schema-compiler";
import { serveJobs } from "../platform/workers/serve-jobs";

/** A job with entries prepares a check, one with calls checks them; `missing` requests the entries first. */
export type TrafficJob = { key: string } & ({ entriesText: string } | { calls: RecordedCall[] });

/** The checked calls; null for one that is accepted, sends all that is described, and shows no result. */
export type TrafficAnswer = { missing: true } | { checked: (CheckedCall | null)[] };

type Check = (call: RecordedCall) => CheckedCall;

const MAX_CHECKS = 20;
const checks = new Map<string, Check>();

serveJobs((job: TrafficJob): TrafficAnswer | { prepared: true } => {
  const { key } = job;
  if ("entriesText" in job) {
    if (checks.size >= MAX_CHECKS) checks.clear();
    checks.set(
      key,
      createCallCheck(JSON.parse(job.entriesText) as ChangedEntries, (schema) =>
        compileSchema(schema, { asWritten: true }),
      ),
    );
    return { prepared: true };
  }
  const check = checks.get(key);
  return check === undefined ? { missing: true } : { checked: job.calls.map((call) => toShort(check(call))) };
});

function toShort(checked: CheckedCall): CheckedCall | null {
  const isPlain = checked.class === "accepted" && checked.ignored.length === 0 && checked.fields === null;
  return isPlain ? null : checked;
}
