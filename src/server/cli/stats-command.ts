import { type Command, Option } from "commander";
import { FAILED_CLASSES } from "../../lib/contract/call-class";
import { STATISTIC_SCOPES, type StatisticFigures, type StatisticsReport } from "../../lib/contract/statistics";
import { formatDuration } from "../../lib/format/duration";
import { formatAbsoluteTime } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { parseTime } from "./execution-filter";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

interface StatsOptions extends ServerOptions, Partial<Record<(typeof STATISTIC_SCOPES)[number], string>> {
  since: string;
  until?: string;
  by?: string;
  span?: string;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function addStatsCommand(program: Command, io: CommandIo): void {
  const command = defineCommand(program, {
    syntax: "stats",
    summary: "Count calls with their failures and percentiles, also by tool, client, hour and others",
    details:
      "FAILED is the sum of ERROR, TIMED OUT, INTERRUPTED and INVALID (from programs), RATE its share of the calls that succeeded or failed. Counts are exact, percentiles within 2%. Calls of evals and tests are not counted.",
    examples: [
      ["toolroom stats --by tool", "the tools of the last 24 hours, most calls first"],
      ["toolroom stats --since 7d --tool search --span day", "one tool by day"],
      ["toolroom stats --server files --by errorKind --json", "as JSON"],
    ],
  })
    .option("--since <time>", "from this time on: 2026-12-24T08:00:00Z, 2026-12-24, or 2h, 7d ago", "24h")
    .option("--until <time>", "up to this time")
    .addOption(new Option("--by <what>", "a row for each").choices([...STATISTIC_SCOPES, "errorKind"]))
    .addOption(new Option("--span <span>", "a row for each").choices(["minute", "hour", "day"]));
  for (const scope of STATISTIC_SCOPES) command.option(`--${scope} <name>`, `calls of this ${scope}`);
  addServerOptions(command, "print the figures as GET /api/v1/statistics has them").action((options: StatsOptions) =>
    printStatistics(options, io),
  );
}

async function printStatistics(options: StatsOptions, io: CommandIo): Promise<void> {
  const { json, since, until, by, span, toolroom, data } = options;
  const now = Date.now();
  const api = await openApi({ toolroom, data }, io);
  const text = await api.getText("/statistics", {
    since: parseTime(since, "since", now),
    until: until === undefined ? undefined : parseTime(until, "until", now),
    ...Object.fromEntries(STATISTIC_SCOPES.map((scope) => [scope, options[scope]])),
    by,
    span,
    zone: span === "day" ? zone : undefined,
  });
  if (json) return await writeJson(io, text);
  const report = JSON.parse(text) as StatisticsReport;
  const { totals, points = [], groups = [], rebuilding } = report;
  if (rebuilding) await write(io.stderr, "Statistics are being rebuilt: older calls are not counted yet.\n");
  const table = (head: string, rows: readonly (readonly [string, StatisticFigures])[]) =>
    formatTable(
      [head, ...FIGURES],
      rows.map(([name, figures]) => [name, ...toCells(figures)]),
      toTableStyle(io),
    );
  const period = `${formatAbsoluteTime(report.since, zone)} – ${formatAbsoluteTime(report.until, zone)}`;
  await write(
    io.stdout,
    table("TIME", [
      ...points.map((point) => [formatAbsoluteTime(point.start, zone), point] as const),
      [period, totals],
    ]),
  );
  if (by === undefined) return;
  await write(
    io.stdout,
    `\n${table(
      by.toUpperCase(),
      groups.map((group) => [toLine(group.value), group]),
    )}`,
  );
}

const FIGURES = ["CALLS", "FAILED", "RATE", "ERROR", "TIMED OUT", "INTERRUPTED", "INVALID", "P50", "P95", "P99"];

const toCells = (figures: StatisticFigures): string[] => [
  String(figures.calls),
  String(figures.failed),
  figures.finished === 0 ? "–" : `${((100 * figures.failed) / figures.finished).toFixed(1)}%`,
  ...FAILED_CLASSES.map((part) => String(figures[part])),
  formatDuration(figures.p50Ms),
  formatDuration(figures.p95Ms),
  formatDuration(figures.p99Ms),
];
