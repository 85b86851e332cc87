import type { Command } from "commander";
import type { ExecutionSummary } from "../../lib/contract/execution";
import type { OpenedBundle } from "../../lib/contract/execution-bundle";
import { formatTitle } from "../../lib/contract/execution-kind";
import { newExecutionId } from "../../lib/execution-id";
import { formatDuration } from "../../lib/format/duration";
import { toLocalIso } from "../../lib/format/time-zone";
import { openApi } from "./api-client";
import { printExecution, readPayload, WAIT_MS, waitForCall } from "./call-command";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { describeComparison } from "./compare-executions";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, addViewOption, type FilterOptions, parseLimit, toFilterQuery } from "./execution-filter";
import { formatStatus, type ReceivedExecution, readResultText } from "./execution-outcome";
import { pour } from "./file-commands";
import { followExecutions } from "./follow-executions";
import { formatForPerson } from "./format-result";
import { formatFacts, formatTable, type TableStyle, toTableStyle, write, writeJson } from "./output";
import { addReplayCommand } from "./suite-commands";

const TOOL = {
  same: "The tool here is the one of the bundle.",
  different: "The tool here differs from the one of the bundle.",
  missing: "There is no such tool here: `toolroom import` adds the one of the bundle.",
} as const satisfies Record<OpenedBundle["tool"], string>;

interface ListOptions extends ServerOptions, FilterOptions {
  limit: number;
  follow?: boolean;
}

const HEAD = ["ID", "STARTED", "STATUS", "TOOL", "DURATION", "SOURCE", "CALLER", "ARGUMENTS"] as const;

export function addExecutionCommands(program: Command, io: CommandIo): void {
  const executions = program
    .command("executions")
    .summary("List, follow, show, replay and compare recorded calls")
    .description("List, follow, show, replay and compare recorded calls.");
  executions.addHelpText(
    "after",
    "\nExamples:\n  toolroom executions list --status failed\n  toolroom executions list --follow",
  );

  const list = defineCommand(executions, {
    syntax: "list",
    summary: "List recorded calls, newest first, or follow them",
    details: "With --follow, each call that begins from now on is printed once it has ended, until Ctrl+C.",
    examples: [
      ["toolroom executions list --tool get_weather --status failed --since 24h", "failures of a day"],
      ["toolroom executions list --follow --json", "each call as it ends, one JSON object a line"],
    ],
  });
  addViewOption(addFilterOptions(list))
    .option("--limit <number>", "how many at most", parseLimit, 50)
    .option("--follow", "print each new call once it has ended");
  addServerOptions(list, "print { items } as GET /api/v1/executions has them; with --follow, one a line").action(
    (options: ListOptions) => listExecutions(options, io),
  );

  addIdCommand(executions, "show", {
    summary: "Show a call with its arguments, result and log",
    json: "print the call as GET /api/v1/executions/{id} has it",
    examples: [
      ["toolroom executions show exec_7hJ2kQ9w", "a call for reading"],
      ["toolroom executions show exec_7hJ2kQ9w --json | jq .result", "its result alone"],
    ],
  }).action((id: string, options: ServerOptions) => showExecution(id, options, io));

  addIdCommand(executions, "replay", {
    summary: "Run a call again with the arguments it had",
    json: "print the new call as POST /api/v1/executions/{id}/replay has it",
    examples: [
      ["toolroom executions replay exec_7hJ2kQ9w", "print the new result"],
      ["toolroom executions replay exec_7hJ2kQ9w --json", "the new execution, as JSON"],
    ],
  }).action((id: string, options: ServerOptions) => replayExecution(id, options, io));

  addIdCommand(executions, "cancel", {
    summary: "Cancel a call that is running or waiting",
    json: "print { cancelled }",
    examples: [
      ["toolroom executions cancel exec_7hJ2kQ9w", "end it"],
      ["toolroom executions cancel exec_7hJ2kQ9w --json", "say it as JSON"],
    ],
  }).action((id: string, options: ServerOptions) => cancelExecution(id, options, io));

  addBundleCommands(executions, io);

  const compare = defineCommand(executions, {
    syntax: "compare <left> <right>",
    summary: "Compare two calls: arguments, result or error, duration",
    details: "Exits with 0 also where they differ; `identical` of --json tells.",
    examples: [
      ["toolroom executions compare exec_7hJ2kQ9w exec_9kL3mR1x", "what differs, line by line"],
      ["toolroom executions compare exec_7hJ2kQ9w exec_9kL3mR1x --json", "the same as JSON"],
    ],
  });
  addServerOptions(compare, "print { left, right, arguments, outcome }").action(
    (left: string, right: string, options: ServerOptions) => compareExecutions(left, right, options, io),
  );
  addReplayCommand(executions, io);
}

interface IdCommand {
  summary: string;
  json: string;
  examples: [string, string][];
}

function addIdCommand(parent: Command, name: string, { summary, json, examples }: IdCommand): Command {
  return addServerOptions(defineCommand(parent, { syntax: `${name} <id>`, summary, examples }), json);
}

const toPath = (id: string): string => `/executions/${encodeURIComponent(id)}`;

async function listExecutions(options: ListOptions, io: CommandIo): Promise<void> {
  const query = toFilterQuery(options, Date.now());
  if (options.follow) {
    if ([options.view, options.error, options.duration, options.size].some((given) => given !== undefined)) {
      throw usageError("--follow shows what begins from now on: leave out --view, --error, --duration and --size.");
    }
    if (options.search !== undefined || options.until !== undefined || options.since !== undefined) {
      throw usageError("--follow shows what happens from now on: leave out --search, --since and --until.");
    }
    return await followExecutions(await openApi(options, io), query, io, createRowPrinter(options.json === true, io));
  }
  const api = await openApi(options, io);
  const items = await api.list<ExecutionSummary>("/executions", query, options.limit);
  if (options.json) return await writeJson(io, JSON.stringify({ items }));
  if (items.length === 0) return await write(io.stderr, "No matching executions.\n");
  await write(io.stdout, formatTable(HEAD, items.map(toRow), toTableStyle(io)));
}

function toRow(call: ExecutionSummary) {
  return [
    call.id,
    formatTime(call.queuedAt),
    formatStatus(call),
    formatTitle(call),
    formatDuration(call.durationMs),
    call.source,
    call.client ?? call.actor.name,
    call.argumentsPreview,
  ];
}

/** In the user's own time zone. */
function formatTime(at: number): string {
  return toLocalIso(at, Intl.DateTimeFormat().resolvedOptions().timeZone).slice(0, 19).replace("T", " ");
}

/** Rows that come one by one cannot be as wide as the widest: they have fixed widths. */
const FOLLOWED = [23, 19, 14, 24, 9, 10, 20, 12] as const;

function createRowPrinter(isJson: boolean, io: CommandIo): (call: ExecutionSummary) => Promise<void> {
  if (isJson) return (call) => writeJson(io, JSON.stringify(call));
  const style: TableStyle = toTableStyle(io);
  const head = HEAD.map((title, at) => title.padEnd(FOLLOWED[at] ?? 0));
  let isFirst = true;
  return async (call) => {
    const [headLine = "", row = ""] = formatTable(head, [toRow(call)], style).split("\n");
    await write(io.stdout, `${isFirst ? `${headLine}\n` : ""}${row}\n`);
    isFirst = false;
  };
}

async function showExecution(id: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText(toPath(id));
  await (json ? writeJson(io, text) : write(io.stdout, describeExecution(text, io)));
}

/** An execution for a user. */
function describeExecution(text: string, io: CommandIo): string {
  const call = JSON.parse(text) as ReceivedExecution;
  const { color } = toTableStyle(io);
  const facts = formatFacts(
    [
      ["Execution", call.id],
      ["Tool", formatTitle(call)],
      ["Status", formatStatus(call)],
      ["Started", formatTime(call.queuedAt)],
      ["Duration", formatDuration(call.durationMs)],
      ["Caller", call.client === null ? call.actor.name : `${call.actor.name} (${call.client})`],
      ["Source", call.source],
      ["Run", call.runId],
      ["Reason", call.reason],
      ["Error", call.error === null ? null : { text: call.error, color: "red" }],
    ],
    color,
  );
  const problems = call.faults.map(({ path, message }) => `  ${path || "arguments"} ${message}`).join("\n");
  const logs = call.logs.map(({ level, message }) => `  ${level.padEnd(5)} ${message}`).join("\n");
  const result = call.resultStart ?? (call.status === "succeeded" ? readResultText(text) : null);
  const sections: [string, string | null][] = [
    ["Problems", problems || null],
    ["Arguments", call.argumentsText],
    [call.resultStart === null ? "Result" : "Result (its beginning; the rest was not stored)", result],
    ["Log", logs || null],
  ];
  return (
    facts + sections.map(([title, body]) => (body === null ? "" : `\n${title}\n${formatForPerson(body)}\n`)).join("")
  );
}

async function replayExecution(id: string, options: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const executionId = newExecutionId();
  const body = JSON.stringify({ executionId, waitMs: WAIT_MS });
  const send = (): Promise<string> => api.sendText("POST", `${toPath(id)}/replay`, body);
  const answer = await waitForCall(executionId, send, api, io);
  await printExecution(answer, { isJson: options.json === true, waits: true }, io);
}

async function cancelExecution(id: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const outcome = await api.send<{ cancelled: boolean }>("POST", `${toPath(id)}/cancel`, {});
  if (json) await writeJson(io, JSON.stringify(outcome));
  else if (outcome.cancelled) await write(io.stdout, `Cancelled ${id}.\n`);
  if (!outcome.cancelled) throw new CommandError(EXIT.refused, json ? "" : `${id} had ended already.`);
}

async function compareExecutions(left: string, right: string, { json, ...choice }: ServerOptions, io: CommandIo) {
  const api = await openApi(choice, io);
  const texts = await Promise.all([api.getText(toPath(left)), api.getText(toPath(right))]);
  const comparison = describeComparison(texts[0], texts[1]);
  if (json) await writeJson(io, JSON.stringify(comparison.json));
  else await write(io.stdout, comparison.format(toTableStyle(io).color));
}

function addBundleCommands(executions: Command, io: CommandIo): void {
  const bundle = defineCommand(executions, {
    syntax: "bundle <id>",
    summary: "Export a call as a file that another Toolroom opens",
    details:
      "With its definition, result, error and log, and the tool or the server that it needs. It names no user, and values that are " +
      "stored masked stay masked.",
    examples: [
      ["toolroom executions bundle exec_7hJ2kQ9w > call.json", "for a colleague, or a bug report"],
      ["toolroom executions bundle exec_7hJ2kQ9w -o call.json", "the same, readable only by you"],
    ],
  }).option("-o, --output <file>", "write into this file; default: stdout");
  addServerOptions(bundle).action(async (id: string, { output, ...choice }: ServerOptions & { output?: string }) => {
    const api = await openApi(choice, io);
    await pour(await api.stream(`/executions/${encodeURIComponent(id)}/bundle`, {}), output, io);
  });

  const open = defineCommand(executions, {
    syntax: "open <file>",
    summary: "Open the bundle of a call: it is recorded here, in no figure",
    details: "`toolroom import` with the same file adds its tool or its server. - reads stdin.",
    examples: [
      ["toolroom executions open call.json", "print the id that the call has here"],
      ["toolroom executions open call.json --json", "the id, and whether the tool is here, as JSON"],
    ],
  });
  addServerOptions(open, "print what POST /api/v1/executions/bundles answers").action(
    async (file: string, { json, ...choice }: ServerOptions) => {
      const text = await readPayload(file === "-" ? "-" : `@${file}`, io);
      const api = await openApi(choice, io);
      const answer = await api.sendText("POST", "/executions/bundles", JSON.stringify({ text }));
      if (json) return await writeJson(io, answer);
      const { id, tool } = JSON.parse(answer) as OpenedBundle;
      await write(io.stderr, `${TOOL[tool]}\n`);
      await write(io.stdout, `${id}\n`);
    },
  );
}
