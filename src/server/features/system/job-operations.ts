import { z } from "zod";
import { jobQueueSchema } from "../../../lib/contract/job";
import { formatPlural } from "../../../lib/format/count";
import { formatAbsoluteTime } from "../../../lib/format/relative-time";
import { act, operations, read } from "../../platform/api/operation";

const name = z.string().min(1).max(300);

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const toTime = (at: number | null): string => (at === null ? "–" : formatAbsoluteTime(at, zone));

export const jobOperations = operations(
  "jobs",
  {
    list: read({
      rest: "GET /jobs",
      summary: "List the queues of background work with their failures",
      allow: "administer",
      output: z.array(jobQueueSchema),
      run: ({ services, actor }) => services.jobs.list(actor),
      cli: {
        words: "list",
        summary: "List the queues with what failed",
        examples: [
          ["toolroom jobs list", "as a table, failures below it"],
          ["toolroom jobs list --json", "with everything known, as JSON"],
        ],
        table: {
          columns: {
            KIND: ({ kind }) => kind,
            WAITING: ({ waiting }) => String(waiting),
            RUNNING: ({ running }) => String(running),
            SUCCEEDED: ({ succeeded }) => String(succeeded),
            FAILED: ({ failed }) => (failed > 0 ? { text: String(failed), color: "red" } : "0"),
            "LAST RUN": ({ lastRunAt }) => toTime(lastRunAt),
            "NEXT RUN": ({ nextRunAt }) => toTime(nextRunAt),
          },
          below: ({ kind, failures }) =>
            failures.map(({ key, attempts, error, retryAt }) => {
              const retry = retryAt === null ? "" : `; next try ${toTime(retryAt)}`;
              return `${kind} ${key} failed ${attempts === 1 ? "once" : `${attempts} times`}${retry}: ${error}`;
            }),
          empty: "No queues.",
        },
      },
    }),
    runNow: act({
      rest: "POST /jobs/{kind}/run",
      summary: "Run the waiting jobs of a kind now",
      allow: "administer",
      input: z.strictObject({ kind: name, key: name.optional().describe("Only this one; else all that wait") }),
      output: z.object({ started: z.number().int() }),
      audit: {
        target: ({ kind }) => ({ kind: "job", name: kind }),
        after: ({ started }, { key }) => ({ key, started }),
      },
      run: ({ services, actor }, input) => services.jobs.runNow(actor, input),
      cli: {
        words: "run <kind> [key]",
        summary: "Run the waiting jobs of a kind now: all, or the one with a key",
        examples: [
          ["toolroom jobs run retention.sweep", "what repeats"],
          ["toolroom jobs run webhooks.deliver msg_5f0c…", "one that would be retried later"],
        ],
        say: ({ started }, kind) => `Started ${formatPlural(started, "job")} of ${kind}.`,
      },
    }),
  },
  {
    summary: "List the work in the background, and run what waits",
    examples: ["toolroom jobs list", "toolroom jobs run retention.sweep"],
  },
);
