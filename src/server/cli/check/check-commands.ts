import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Command, Option } from "commander";
import {
  type ChangeReport,
  findStrongest,
  RULE_SETTINGS,
  type RuleSetting,
  type RuleSettings,
  reachesSeverity,
  SEVERITIES,
  type Severity,
} from "../../../lib/contract/change-verdict";
import { getMessage } from "../../../lib/get-message";
import { openApi } from "../api-client";
import { CommandError, EXIT, isCommandError, usageError } from "../command-error";
import type { CommandIo } from "../command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "../define-command";
import { write } from "../output";
import {
  type Baseline,
  checkRules,
  DEFAULT_BASELINE,
  findToolLines,
  readBaseline,
  writeBaseline,
} from "./baseline-file";
import { type CandidateOptions, createTextMask, maskEntries, readCandidate } from "./candidate-settings";
import { CONFORMANCE_FAILS, type ConformanceFail, checkConformance } from "./conformance-check";
import type { CheckResult } from "./describe-report";
import { FORMATS, formatReport, type ReportFormat } from "./format-report";
import type { ListedCandidate } from "./list-candidate";

interface CheckOptions extends ServerOptions, CandidateOptions {
  server?: string;
  baseline?: string;
  updateBaseline?: boolean;
  last?: string;
  format: ReportFormat;
  report?: string[];
  failOn?: Severity | ConformanceFail;
  conformance?: string;
  only?: string;
  suite?: string;
  rule?: string[];
  timeout?: string;
}

const MAX_TIMEOUT_S = 900;
const DEFAULT_TIMEOUT_S = "60";
const CONFORMANCE_TIMEOUT_S = "600";
const LAST = /^[1-9]\d{0,4}[mhd]$/;

export function addCheckCommand(program: Command, io: CommandIo): void {
  const check = defineCommand(program, {
    syntax: "check [command...]",
    summary: "Check a new version of a server before it is released",
    details:
      "Lists the tools of the candidate, calls none of them, and compares them with a baseline file, or with a server of a " +
      "Toolroom and its recorded calls. Exit codes: 0 nothing reaches --fail-on, 1 something does, 2 usage, 3 no such server, " +
      "4 refused, 5 the candidate or Toolroom does not answer.",
    examples: [
      ["toolroom check --update-baseline --candidate 'node server.js'", "write the baseline to commit"],
      [
        "toolroom check --baseline tools.baseline.json --report sarif=check.sarif -- node server.js",
        "in CI, without a Toolroom",
      ],
      ["toolroom check --conformance files --report junit=conformance.xml", "test a server with the official suite"],
      ["toolroom check --server files --candidate 'npx -y my-server@next' --last 7d", "by the calls of a week"],
    ],
  })
    .option("--candidate <command or url>", "the new version: a command line, or an address; or a command behind --")
    .option("--server <name>", "compare with this server of a Toolroom")
    .option("--baseline <file>", `compare with this file; default without --server: ${DEFAULT_BASELINE}`)
    .option("--update-baseline", "write the candidate's tools into the baseline and end")
    .option("--last <time>", "with --server: check recorded calls of this time, such as 7d; default: 30d")
    .addOption(new Option("--format <format>", "what is printed").choices(FORMATS).default("text"))
    .option("--report <format=file>", "also write a report into a file; may be repeated", collect)
    .addOption(
      new Option(
        "--fail-on <severity>",
        "the severity that fails, default: error; with --conformance new, any or never, default: new",
      ).choices([...SEVERITIES, ...CONFORMANCE_FAILS]),
    )
    .option("--rule <id=severity>", `off, info, warning or error for a rule; may be repeated`, collect)
    .option("--header <line>", "Name: value; may be repeated, for an address", collect)
    .option("--env <entry>", "NAME=value, or NAME for your own value; may be repeated, for a command", collect)
    .option("--cwd <folder>", "the working folder of the command")
    .option(
      "--conformance <server or url>",
      "test a server of a Toolroom, or an address: sign-in, transport, official suite",
    )
    .option("--only <part>", "with --conformance: own (Toolroom's checks) or suite; default: all")
    .option("--suite <folder>", "with --conformance and an address: an installed copy of the official suite")
    .option("--timeout <seconds>", "the time that the check may take; default: 60, with --conformance 600");
  addServerOptions(check, "the same as --format json").action((words: string[], options: CheckOptions) =>
    runCheck(words, options, io),
  );
}

async function runCheck(words: readonly string[], options: CheckOptions, io: CommandIo): Promise<void> {
  if (options.conformance !== undefined) {
    return await runConformanceCheck({ ...options, conformance: options.conformance }, words, io);
  }
  const misplaced = (["only", "suite"] as const).find((each) => options[each] !== undefined);
  if (misplaced !== undefined) throw usageError(`--${misplaced} is for --conformance.`);
  const timeoutMs = parseTimeout(options.timeout ?? DEFAULT_TIMEOUT_S);
  const rules = parseRules(options.rule ?? []);
  const reports = (options.report ?? []).map(parseReport);
  if (options.server !== undefined && (options.baseline !== undefined || options.updateBaseline)) {
    throw usageError("Give --server or --baseline, not both.");
  }
  if (options.server === undefined && options.last !== undefined) {
    throw usageError("--last is for --server: a baseline has no recorded calls.");
  }
  if (options.last !== undefined && !LAST.test(options.last)) {
    throw usageError("--last must be a number of minutes, hours or days, such as 7d.");
  }
  const deadline = AbortSignal.timeout(timeoutMs);
  const candidate = readCandidate(options, words, timeoutMs, io);
  const mask = createTextMask(candidate.secrets);
  try {
    const { listCandidate } = await import("./list-candidate");
    const listed = await listCandidate(candidate, io, deadline);
    const tools = maskEntries(listed.tools, candidate.secrets);
    const check: Check = { options, rules, reports, deadline, io };
    if (options.server === undefined) await checkFile({ name: mask(listed.name), tools }, check);
    else await checkServer(options.server, tools, check);
  } catch (error) {
    if (isCommandError(error)) throw new CommandError(error.exitCode, mask(error.message), mask(error.wayOut));
    throw error instanceof Error ? new Error(mask(error.message), { cause: error }) : error;
  }
}

async function runConformanceCheck(
  { failOn = "new", ...options }: CheckOptions & { conformance: string },
  words: readonly string[],
  io: CommandIo,
): Promise<void> {
  const others = ["server", "candidate", "baseline", "updateBaseline", "last", "rule", "env", "cwd"] as const;
  if (words.length > 0 || others.some((each) => options[each] !== undefined)) {
    throw usageError("--conformance stands alone: a candidate and a baseline belong to the other checks.");
  }
  const fails = CONFORMANCE_FAILS.find((each) => each === failOn);
  if (fails === undefined) throw usageError("With --conformance, --fail-on must be new, any or never.");
  const timeoutMs = parseTimeout(options.timeout ?? CONFORMANCE_TIMEOUT_S);
  const reports = (options.report ?? []).map(parseReport);
  await checkConformance({ ...options, failOn: fails, reports, timeoutMs }, io);
}

interface Check {
  options: CheckOptions;
  rules: RuleSettings;
  reports: readonly Report[];
  deadline: AbortSignal;
  io: CommandIo;
}

async function checkFile({ name, tools }: ListedCandidate, check: Check): Promise<void> {
  const { options, io } = check;
  const shown = options.baseline ?? DEFAULT_BASELINE;
  const file = path.resolve(io.cwd, shown);
  const baseline = readBaseline(file);
  const rules = { ...baseline?.rules, ...check.rules };
  if (options.updateBaseline) {
    const hasChanged = writeBaseline(file, tools, rules);
    const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    return await write(
      io.stdout,
      hasChanged ? `Wrote ${count} to ${shown}.\n` : `${shown} is up to date (${count}).\n`,
    );
  }
  if (baseline === null) {
    throw usageError(
      `There is no baseline ${shown}.`,
      "Write it with --update-baseline, from the version that clients use now.",
    );
  }
  const report = await checkHere(baseline, tools, { ...check, rules }, name);
  await printResult({ report, file: shown, lines: findToolLines(file) }, check);
}

async function checkHere(
  baseline: Baseline,
  tools: readonly unknown[],
  check: Check,
  server: string,
): Promise<ChangeReport> {
  const { createSchemaChecker } = await import("../../platform/workers/schema-checker");
  const checker = createSchemaChecker({ home: check.io.home });
  try {
    const checked = checker.check(baseline.tools, tools, check.rules);
    const { verdicts, unchanged } = await withDeadline(checked, check);
    const severity = findStrongest(verdicts.map((verdict) => verdict.severity));
    return { server, at: Date.now(), schema: verdicts, unchanged, traffic: null, replay: null, severity };
  } finally {
    await checker.close();
  }
}

async function checkServer(server: string, tools: readonly unknown[], check: Check): Promise<void> {
  const { options, rules, io } = check;
  const last = options.last ?? "30d";
  const api = await openApi(options, io);
  const path = `/servers/${encodeURIComponent(server)}/changes/check`;
  const report = await withDeadline(api.send<ChangeReport>("POST", path, { tools, last, rules }), check);
  await printResult({ report, file: null, lines: new Map() }, check);
}

async function withDeadline<T>(work: Promise<T>, { deadline, options }: Check): Promise<T> {
  const ended = new Promise<never>((_, reject) => {
    const end = (): void =>
      reject(
        new CommandError(
          EXIT.unreachable,
          `The check took longer than ${options.timeout ?? DEFAULT_TIMEOUT_S} s.`,
          "Set --timeout.",
        ),
      );
    if (deadline.aborted) end();
    else deadline.addEventListener("abort", end, { once: true });
  });
  return await Promise.race([work, ended]);
}

type Found = Pick<CheckResult, "report" | "file" | "lines">;

async function printResult(found: Found, { options, reports, io }: Check): Promise<void> {
  const failOn = readSeverity(options.failOn);
  const hasFailed = failOn !== null && reachesSeverity(found.report.severity, failOn);
  const result: CheckResult = { ...found, failOn, hasFailed };
  for (const { format: wanted, file } of reports) {
    try {
      writeFileSync(path.resolve(io.cwd, file), formatReport(wanted, result, io));
    } catch (error) {
      throw usageError(`The report ${file} could not be written: ${getMessage(error)}`);
    }
  }
  await write(io.stdout, formatReport(options.json ? "json" : options.format, result, io));
  if (hasFailed) throw new CommandError(EXIT.failed, "");
}

/** Null: nothing fails. */
function readSeverity(failOn: CheckOptions["failOn"] = "error"): Severity | null {
  if (failOn === "never") return null;
  const severity = SEVERITIES.find((each) => each === failOn);
  if (severity !== undefined) return severity;
  throw usageError(`--fail-on ${failOn} is for --conformance: use one of ${SEVERITIES.join(", ")} or never.`);
}

interface Report {
  format: ReportFormat;
  file: string;
}

function parseReport(text: string): Report {
  const at = text.indexOf("=");
  const format = FORMATS.find((each) => each === text.slice(0, at));
  const file = text.slice(at + 1);
  if (format !== undefined && file !== "") return { format, file };
  throw usageError(
    `--report must be FORMAT=FILE with one of ${FORMATS.join(", ")}.`,
    "Example: --report sarif=check.sarif",
  );
}

function parseRules(texts: readonly string[]): RuleSettings {
  const entries = texts.map((text): [string, RuleSetting] => {
    const [, rule = "", wanted] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    const setting = RULE_SETTINGS.find((each) => each === wanted);
    if (setting === undefined)
      throw usageError("--rule must be RULE=off, info, warning or error.", "Example: --rule tool.description=warning");
    return [rule, setting];
  });
  const rules = Object.fromEntries(entries);
  checkRules(rules, "--rule");
  return rules;
}

function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= MAX_TIMEOUT_S)) throw usageError(`--timeout must be 1 to ${MAX_TIMEOUT_S} seconds.`);
  return seconds * 1_000;
}
