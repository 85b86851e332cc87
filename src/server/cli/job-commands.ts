import type { Command } from "commander";
import type { JobQueue } from "../../lib/contract/job";
import { formatAbsoluteTime } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const toTime = (at: number | null): string => (at === null ? "–" : formatAbsoluteTime(at, zone));

export function addJobCommands(program: Command, io: CommandIo): void {
  const jobs = program
    .command("jobs")
    .summary("List the work in the background, and run what waits")
    .description("List the work in the background, and run what waits.");
  jobs.addHelpText("after", "\nExamples:\n  toolroom jobs list\n  toolroom jobs run retention.sweep");

  const list = defineCommand(jobs, {
    syntax: "list",
    summary: "List the queues with what failed",
    examples: [
      ["toolroom jobs list", "as a table, failures below it"],
      ["toolroom jobs list --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/jobs has them").action((options: ServerOptions) =>
    listJobs(options, io),
  );

  const run = defineCommand(jobs, {
    syntax: "run <kind> [key]",
    summary: "Run the waiting jobs of a kind now: all, or the one with a key",
    examples: [
      ["toolroom jobs run retention.sweep", "what repeats"],
      ["toolroom jobs run webhooks.deliver msg_5f0c…", "one that would be retried later"],
    ],
  });
  addServerOptions(run, "print { started } as POST /api/v1/jobs/{kind}/run has it").action(
    (kind: string, key: string | undefined, options: ServerOptions) => runJobs(kind, key, options, io),
  );
}

async function listJobs({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText("/jobs");
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: JobQueue[] };
  const rows = items.map(({ kind, waiting, running, succeeded, failed, nextRunAt, lastRunAt }) => [
    kind,
    String(waiting),
    String(running),
    String(succeeded),
    failed > 0 ? { text: String(failed), color: "red" as const } : "0",
    toTime(lastRunAt),
    toTime(nextRunAt),
  ]);
  const head = ["KIND", "WAITING", "RUNNING", "SUCCEEDED", "FAILED", "LAST RUN", "NEXT RUN"];
  await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
  for (const { kind, failures } of items) {
    for (const { key, attempts, error, retryAt } of failures) {
      const retry = retryAt === null ? "" : `; next try ${toTime(retryAt)}`;
      const times = attempts === 1 ? "once" : `${attempts} times`;
      await write(io.stdout, `${kind} ${toLine(key)} failed ${times}${retry}: ${toLine(error)}\n`);
    }
  }
}

async function runJobs(
  kind: string,
  key: string | undefined,
  { json, ...choice }: ServerOptions,
  io: CommandIo,
): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", `/jobs/${encodeURIComponent(kind)}/run`, JSON.stringify({ key }));
  if (json) return await writeJson(io, text);
  const { started } = JSON.parse(text) as { started: number };
  await write(io.stdout, `Started ${started} ${started === 1 ? "job" : "jobs"} of ${kind}.\n`);
}
