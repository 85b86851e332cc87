import type { Command } from "commander";
import type { ExecutionSummary } from "../../lib/contract/execution";
import { formatTitle } from "../../lib/contract/execution-kind";
import { newExecutionId } from "../../lib/execution-id";
import { formatDuration } from "../../lib/format/duration";
import { executionOperations } from "../calls/executions/execution-operations";
import { formatStatus, formatTime } from "../calls/executions/execution-output";
import { bundleOperations } from "../features/bundles/bundle-operations";
import { openApi } from "./api-client";
import { printExecution, WAIT_MS, waitForCall } from "./call-command";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { describeComparison } from "./compare-executions";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, addViewOption, type FilterOptions, parseLimit, toFilterQuery } from "./execution-filter";
import { followExecutions } from "./follow-executions";
import { addOperationCommands } from "./operation-commands";
import { formatTable, type TableStyle, toTableStyle, write, writeJson } from "./output";
import { addReplayCommand } from "./suite-commands";

interface ListOptions extends ServerOptions, FilterOptions {
  limit: number;
  follow?: boolean;
}

const HEAD = ["ID", "STARTED", "STATUS", "TOOL", "DURATION", "SOURCE", "CALLER", "ARGUMENTS"] as const;

export function addExecutionCommands(program: Command, io: CommandIo): void {
  const executions = addOperationCommands(program, executionOperations, io);
  addOperationCommands(program, bundleOperations, io);
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

  const replay = defineCommand(executions, {
    syntax: "replay <id>",
    summary: "Run a call again with the arguments it had",
    examples: [
      ["toolroom executions replay exec_7hJ2kQ9w", "print the new result"],
      ["toolroom executions replay exec_7hJ2kQ9w --json", "the new execution, as JSON"],
    ],
  });
  addServerOptions(replay, "print the new call as POST /api/v1/executions/{id}/replay has it").action(
    (id: string, options: ServerOptions) => replayExecution(id, options, io),
  );

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

async function replayExecution(id: string, options: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const executionId = newExecutionId();
  const body = JSON.stringify({ executionId, waitMs: WAIT_MS });
  const send = (): Promise<string> => api.sendText("POST", `${toPath(id)}/replay`, body);
  const answer = await waitForCall(executionId, send, api, io);
  await printExecution(answer, { isJson: options.json === true, waits: true }, io);
}

async function compareExecutions(left: string, right: string, { json, ...choice }: ServerOptions, io: CommandIo) {
  const api = await openApi(choice, io);
  const texts = await Promise.all([api.getText(toPath(left)), api.getText(toPath(right))]);
  const comparison = describeComparison(texts[0], texts[1]);
  if (json) await writeJson(io, JSON.stringify(comparison.json));
  else await write(io.stdout, comparison.format(toTableStyle(io).color));
}
