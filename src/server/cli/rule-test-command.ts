import path from "node:path";
import type { Command } from "commander";
import type { RuleCaseResult, RuleTest, TestedCase } from "../../lib/contract/rule-case";
import { formatPlural } from "../../lib/format/count";
import { describeOutcome } from "../../lib/format/rule-case-words";
import { stringifyWithDigits } from "../../lib/json/number-digits";
import { openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatJunit, type JunitCase } from "./junit";
import { type Cell, formatTable, toLine, toTableStyle, write, writeJson } from "./output";
import { readFileArgument } from "./payload-files";
import { writeReport } from "./suite-test-run";

interface RuleTestOptions extends ServerOptions {
  file?: string;
  junit?: string;
}

export function addRuleTestCommand(rules: Command, io: CommandIo): void {
  const test = defineCommand(rules, {
    syntax: "test",
    summary: "Test the rules by their cases, and fail where one does",
    details:
      "Calls nothing. With --file, rules and cases come from a catalog file and no Toolroom is asked: a change is tested before it " +
      "is imported. Exits with 1 where the rules do not do what a case expects, or it cannot be told.",
    examples: [
      ["toolroom rules test", "the rules of the server"],
      ["toolroom rules test --file catalog.json --junit rules.xml", "in CI, those of a pull request, with a report"],
      ["toolroom rules test --json", "each case with its result, as JSON"],
    ],
  })
    .option("--file <file>", "test rules and cases of this catalog file, without a server; - reads stdin")
    .option("--junit <file>", "write a report as JUnit XML");
  addServerOptions(test, "print the result as POST /api/v1/rule-cases/test returns it").action(
    (options: RuleTestOptions) => testRules(options, io),
  );
}

async function testRules({ file, junit, json, ...choice }: RuleTestOptions, io: CommandIo): Promise<void> {
  const text = file === undefined ? await testOnServer(choice, io) : await testFile(file, io);
  const tested = JSON.parse(text) as RuleTest;
  if (tested.cases.length === 0) {
    const wayOut =
      file === undefined
        ? "Save an execution as a case in the console, or use --file."
        : "toolroom export catalog writes them with the rules.";
    throw new CommandError(EXIT.notFound, "There are no cases.", wayOut);
  }
  if (junit !== undefined) await writeReport(path.resolve(io.cwd, junit), formatRuleReport(tested));
  if (json) await writeJson(io, text);
  else await write(io.stdout, describeTest(tested, io));
  const count = formatPlural(tested.failed, "case");
  if (tested.failed > 0) throw new CommandError(EXIT.failed, json ? "" : `${count} of ${tested.cases.length} failed.`);
}

async function testOnServer(choice: ServerOptions, io: CommandIo): Promise<string> {
  const api = await openApi(choice, io);
  return await api.sendText("POST", "/rule-cases/test", "{}");
}

async function testFile(file: string, io: CommandIo): Promise<string> {
  const text = await readFileArgument(file, io);
  const { testRuleFile } = await import("./check/rule-file");
  return stringifyWithDigits(testRuleFile(text, file));
}

const STATUS: Record<RuleCaseResult["status"], Cell> = {
  passed: { text: "passed", color: "green" },
  failed: { text: "failed", color: "red" },
  error: { text: "error", color: "red" },
};

function describeTest({ cases, passed }: RuleTest, io: CommandIo): string {
  const rows = cases.map(({ name, expect, result }) => [
    STATUS[result.status],
    toLine(name),
    toLine(describeOutcome(expect)),
    result.outcome === "unknown" ? "cannot tell" : result.outcome,
    toLine(result.rule ?? ""),
  ]);
  const table = formatTable(["STATUS", "CASE", "EXPECTED", "GOT", "BY RULE"], rows, toTableStyle(io));
  const details = cases.flatMap(describeDetails).map((line) => `${line}\n`);
  return `${table}${details.length > 0 ? "\n" : ""}${details.join("")}${passed} of ${formatPlural(cases.length, "case")} passed.\n`;
}

/** The details that do not fit in a table. */
function describeDetails({ name, result }: TestedCase): string[] {
  const lines = [...result.notes, ...listValues(result)].map((line) => `  ${toLine(line)}`);
  return lines.length === 0 ? [] : [`${toLine(name)}:`, ...lines, ""];
}

const listValues = ({ read }: RuleCaseResult): string[] =>
  read.flatMap(({ rule, values }) =>
    Object.entries(values).map(([place, value]) => `${rule} read ${place} = ${stringifyWithDigits(value)}`),
  );

function formatRuleReport({ cases }: RuleTest): string {
  return formatJunit("Toolroom", [{ name: "rules", cases: cases.map(toJunitCase) }]);
}

function toJunitCase({ name, call, expect, result }: TestedCase): JunitCase {
  const common = { name, classname: `rules.${call.tool}` };
  const { status, notes } = result;
  const lines = [...notes, ...listValues(result)];
  if (status === "passed") {
    return lines.length === 0 ? common : { ...common, outcome: { element: "system-out", text: lines.join("\n") } };
  }
  const message = `expected ${describeOutcome(expect)}, got ${describeOutcome(result)}`;
  return {
    ...common,
    outcome: {
      element: status === "error" ? "error" : "failure",
      attributes: { message },
      text: [message, ...lines].join("\n"),
    },
  };
}
