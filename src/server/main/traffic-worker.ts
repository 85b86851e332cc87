// Judges recorded calls by a change of their tool: parsing and validating 100,000 of them takes seconds of processor time.
import { createCallJudge } from "../engine/changes/judge-call";
import type { ChangedEntries, JudgedCall, RecordedCall } from "../engine/changes/traffic-ports";
import { compileSchema } from "../platform/workers/schema-compiler";
import { serveJobs } from "../platform/workers/serve-jobs";

/** With entries it prepares a judge, with calls it judges them; `missing` asks for the entries first. */
export type TrafficJob = { key: string } & ({ entriesText: string } | { calls: RecordedCall[] });

/** The judged calls; null for one that is accepted, sends all that is described, and shows no result. */
export type TrafficAnswer = { missing: true } | { judged: (JudgedCall | null)[] };

type Judge = (call: RecordedCall) => JudgedCall;

const MAX_JUDGES = 20;
const judges = new Map<string, Judge>();

serveJobs((job: TrafficJob): TrafficAnswer | { prepared: true } => {
  const { key } = job;
  if ("entriesText" in job) {
    if (judges.size >= MAX_JUDGES) judges.clear();
    judges.set(
      key,
      createCallJudge(JSON.parse(job.entriesText) as ChangedEntries, (schema) =>
        compileSchema(schema, { asWritten: true }),
      ),
    );
    return { prepared: true };
  }
  const judge = judges.get(key);
  return judge === undefined ? { missing: true } : { judged: job.calls.map((call) => toShort(judge(call))) };
});

function toShort(judged: JudgedCall): JudgedCall | null {
  const isPlain = judged.class === "accepted" && judged.ignored.length === 0 && judged.fields === null;
  return isPlain ? null : judged;
}
