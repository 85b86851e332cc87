import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseCassette, type ReadCassette } from "../../../lib/cassette/cassette-file";
import { countPlays, FAIL_ON, formatFigures } from "../../../lib/cassette/decide-play";
import { parseFaults } from "../../../lib/cassette/faults";
import type { CassetteFigures, CassettePreview, CassetteReport, CassetteSummary } from "../../../lib/contract/cassette";
import { LEFT_OUT_REASONS } from "../../../lib/contract/cassette-words";
import { formatPlural } from "../../../lib/format/count";
import { getMessage } from "../../../lib/get-message";
import { cassetteOperations } from "../../features/cassettes/cassette-operations";
import { openApi } from "../api-client";
import { CommandError, EXIT, usageError } from "../command-error";
import type { CommandIo } from "../command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "../define-command";
import { addFilterOptions, type FilterOptions, toFilterQuery } from "../execution-filter";
import { addOperationCommands } from "../operation-commands";
import { toLine, write, writeJson } from "../output";
import { readPayload } from "../payload-files";

type FailOn = keyof typeof FAIL_ON;

interface ServeOptions {
  faults?: string;
  failOn: readonly FailOn[];
  report?: string;
}

interface CreateOptions extends ServerOptions, FilterOptions {
  id?: string[];
  notes?: string;
  ignore?: string[];
  allTools?: boolean;
  repeats?: string;
  questions?: string;
  passthrough?: boolean;
  faults?: string;
  dryRun?: boolean;
}

interface ReportOptions extends ServerOptions {
  session?: string;
  failOn?: FailOn[];
}

const toPath = (name: string): string => `/cassettes/${encodeURIComponent(name)}`;
const FAIL_NAMES = Object.keys(FAIL_ON).join(", ");

export function addCassetteCommands(program: Command, io: CommandIo): void {
  const cassettes = addOperationCommands(program, cassetteOperations, io).alias("cassette");
  addCreateCommand(cassettes, io);
  addReportCommand(cassettes, io);
  addServeCommand(cassettes, io);
}

function addCreateCommand(cassettes: Command, io: CommandIo): void {
  const create = defineCommand(cassettes, {
    syntax: "create <name>",
    summary: "Freeze recorded calls and their tools as a cassette",
    details:
      "Name the calls by the filters of `toolroom executions list`, or by --id. Calls with a personal credential, a cut result or " +
      "no end are left out, and counted.",
    examples: [
      ["toolroom cassettes create checkout --run run_7hJ2…", "the calls of a run"],
      ["toolroom cassettes create files --server files --since 2h --dry-run", "only count them"],
      ["toolroom cassettes create search --tool web__search --ignore /requestId", "an argument that does not count"],
    ],
  })
    .option("--id <execution>", "this call; may be repeated", collect)
    .option("--notes <text>", "for people")
    .option("--ignore <path>", "a JSON pointer in the arguments that does not count; may be repeated", collect)
    .option("--all-tools", "list all tools of the same servers, also those that were not called")
    .addOption(new Option("--repeats <rule>", "a call beyond its recordings").choices(["last", "miss"]))
    .addOption(new Option("--questions <rule>", "what servers asked during a call").choices(["recorded", "ask"]))
    .option("--passthrough", "run calls without a recording live")
    .option("--faults <list>", "injected faults, such as error=0.1,delay=200")
    .option("--dry-run", "count what would be frozen, and make nothing");
  addServerOptions(addFilterOptions(create), "print the cassette as POST /api/v1/cassettes has it").action(
    (name: string, options: CreateOptions) => createCassette(name, options, io),
  );
}

async function createCassette(name: string, options: CreateOptions, io: CommandIo): Promise<void> {
  const { json, dryRun, id: ids, notes, ignore, repeats, questions, passthrough, faults, allTools } = options;
  const { user: actor, run: runId, ...filter } = toFilterQuery(options, Date.now());
  const asked = { ...filter, actor, runId };
  const hasFilter = Object.values(asked).some((value) => value !== undefined);
  if (ids === undefined && !hasFilter) {
    throw usageError("Name the calls: by a filter such as --run, --server or --since, or by --id.");
  }
  if (ids !== undefined && hasFilter) throw usageError("Use filters or --id, not both.");
  const choice = ids === undefined ? { filter: asked } : { ids };
  const tools = allTools ? "servers" : "called";
  const api = await openApi(options, io);
  const preview = await api.send<CassettePreview>("POST", "/cassettes/preview", { choice, tools });
  const leftOut = preview.leftOut
    .map(({ reason, count }) => `${count} left out: ${LEFT_OUT_REASONS[reason]}\n`)
    .join("");
  if (dryRun) {
    if (json) return await writeJson(io, JSON.stringify(preview));
    return await write(io.stdout, `${describeSize(preview)}.\n${leftOut}`);
  }
  const settings = { ignore, repeats, questions, passthrough, faults };
  const text = await api.sendText("POST", "/cassettes", JSON.stringify({ name, notes, settings, choice, tools }));
  if (json) return await writeJson(io, text);
  const made = JSON.parse(text) as CassetteSummary;
  await write(io.stderr, leftOut);
  await write(io.stdout, `${describeSize(made)}, served at ${api.url}/mcp/cassettes/${name}\n`);
}

function addReportCommand(cassettes: Command, io: CommandIo): void {
  const report = defineCommand(cassettes, {
    syntax: "report <name>",
    summary: "Say what a session used, missed and left unused, as reused=6/6 misses=0 live=0",
    details: `--fail-on takes ${FAIL_NAMES}: the command exits with 1 where the session has one of them.`,
    examples: [
      ["toolroom cassettes report checkout --fail-on misses", "the newest session"],
      ["toolroom cassettes report checkout --session ci-7 --fail-on misses,unused,live", "by its label"],
    ],
  })
    .option("--session <session>", "the id or the label of the session; default: the newest")
    .option("--fail-on <names>", `exit with 1 for any of ${FAIL_NAMES}, separated by commas`, parseFailOn);
  addServerOptions(report, "print the report as GET /api/v1/cassettes/{name}/report has it").action(
    async (name: string, { json, session, failOn = [], ...choice }: ReportOptions) => {
      const api = await openApi(choice, io);
      const text = await api.getText(`${toPath(name)}/report`, { session });
      const { line, figures, plays } = JSON.parse(text) as CassetteReport;
      if (json) await writeJson(io, text);
      else {
        await write(io.stdout, `${line}\n`);
        const misses = plays.filter(({ outcome }) => outcome === "missed");
        await write(io.stdout, misses.map(({ message }) => `miss: ${toLine(message ?? "")}\n`).join(""));
      }
      assertNone(failOn, figures, json);
    },
  );
}

function addServeCommand(cassettes: Command, io: CommandIo): void {
  defineCommand(cassettes, {
    syntax: "serve <file>",
    summary: "Serve a cassette file over stdio, without a Toolroom, and report when stdin ends",
    details:
      "For clients that start MCP servers as a command. The report goes to stderr. Exits with 1 for what --fail-on names; " +
      "by default for misses.",
    examples: [
      ["toolroom cassettes serve test/checkout.cassette.jsonl", "as the command of an MCP client"],
      ["toolroom cassettes serve checkout.cassette.jsonl --faults error=0.2 --report report.json", "with faults"],
    ],
  })
    .option("--faults <list>", "faults in place of the file's own, such as error=0.1,delay=200")
    .option("--fail-on <names>", `exit with 1 for any of ${FAIL_NAMES}, separated by commas`, parseFailOn, ["misses"])
    .option("--report <file>", "write the report into this file as JSON")
    .action(async (file: string, options: ServeOptions) => {
      const served = serveCassette(file, options, io);
      io.holdExit(served.catch(() => undefined));
      await served;
    });
}

async function serveCassette(file: string, { faults, failOn, report }: ServeOptions, io: CommandIo): Promise<void> {
  const text = await readPayload(`@${file}`, io);
  const problem = faults === undefined ? null : parseFaults(faults);
  if (typeof problem === "string") throw usageError(`--faults: ${problem}.`);
  const cassette = await parseFile(text);
  // Loaded on demand: it is half of the server, which other commands do not need.
  const { serveCassetteFile } = await import("../../main/serve-cassette-file");
  const plays = await serveCassetteFile({
    cassette,
    faults,
    input: io.stdin,
    output: io.stdout,
    signal: io.signal,
    version: io.version,
    report: (message) => void io.stderr.write(`${message}\n`),
  });
  const figures = countPlays(cassette.content.calls.length, plays);
  const line = formatFigures(figures);
  const misses = plays.filter(({ outcome }) => outcome === "missed");
  await write(io.stderr, [line, ...misses.map(({ message }) => `miss: ${toLine(message ?? "")}`), ""].join("\n"));
  if (report !== undefined) {
    const body = JSON.stringify({ cassette: cassette.input.name, line, figures, plays }, null, 2);
    await writeFile(path.resolve(io.cwd, report), `${body}\n`);
  }
  assertNone(failOn, figures);
}

async function parseFile(text: string): Promise<ReadCassette> {
  try {
    return await parseCassette(text);
  } catch (error) {
    throw usageError(`The cassette file cannot be read. ${getMessage(error)}.`);
  }
}

/** @throws CommandError where the session has what the command fails on */
function assertNone(failOn: readonly FailOn[], figures: CassetteFigures, isQuiet = false): void {
  const failed = failOn.filter((each) => figures[FAIL_ON[each]] > 0);
  if (failed.length > 0) throw new CommandError(EXIT.failed, isQuiet ? "" : `The session has ${failed.join(", ")}.`);
}

function parseFailOn(text: string): FailOn[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !Object.hasOwn(FAIL_ON, name));
  if (unknown === undefined) return names as FailOn[];
  throw new InvalidArgumentError(`"${unknown}" is not known: use ${FAIL_NAMES}.`);
}

const describeSize = ({ callCount, toolCount }: Pick<CassetteSummary, "callCount" | "toolCount">): string =>
  `${formatPlural(callCount, "call")} of ${formatPlural(toolCount, "tool")}`;
