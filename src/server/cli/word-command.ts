import type { Command } from "commander";
import type { Confusion, WordReport, WordResult } from "../../lib/contract/word-test";
import { formatPlural } from "../../lib/format/count";
import { openApi } from "./api-client";
import { readPayload } from "./call-command";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { parseRate } from "./eval-commands";
import { formatJunit, type JunitCase } from "./junit";
import { formatTable, toTableStyle, write, writeJson } from "./output";

interface WordOptions extends ServerOptions {
  toolset?: string;
  suite?: string;
  questions?: string;
  recorded: boolean;
  minRate: number;
  junit?: boolean;
}

export function addWordCommand(program: Command, io: CommandIo): void {
  const words = defineCommand(program, {
    syntax: "words",
    summary: "Test by words alone whether questions lead to the right tool, and name confusable pairs",
    details:
      "No model is asked. The questions are the evals, the recorded reasons of calls and the prompts of runs; with --questions, those of a " +
      'file: JSON, a list of { "question", "expected": ["tool"] }. Exits with 1 where the rate is below --min-rate.',
    examples: [
      ["toolroom words", "all enabled tools, all questions"],
      ["toolroom words --toolset support --min-rate 0.9", "the tools of a toolset, as a gate"],
      ["toolroom words --questions questions.json --junit", "questions of a file, a report for continuous integration"],
    ],
  })
    .option("--toolset <name>", "the tools of this toolset, as it shows them")
    .option("--suite <name>", "only the evals of this suite, nothing recorded")
    .option("--questions <file>", "only the questions of this file; - reads stdin")
    .option("--no-recorded", "leave out recorded reasons and prompts")
    .option("--min-rate <rate>", "the least share of questions that lead to the right tool, from 0 to 1", parseRate, 0)
    .option("--junit", "print the results as JUnit XML");
  addServerOptions(words, "print the report as POST /api/v1/words has it").action((options: WordOptions) =>
    testWords(options, io),
  );
}

async function testWords(options: WordOptions, io: CommandIo): Promise<void> {
  const { json, junit, toolset, suite, questions: file, recorded, minRate, ...choice } = options;
  if (json && junit) throw usageError("Give --json or --junit, not both.");
  const questions = file === undefined ? [] : await readQuestions(file, io);
  const isRecorded = recorded && file === undefined && suite === undefined;
  const origins = [...(file === undefined ? ["eval"] : []), ...(isRecorded ? ["reason", "prompt"] : [])];
  const api = await openApi(choice, io);
  const body = JSON.stringify({ toolset: toolset ?? null, suite, origins, questions });
  const text = await api.sendText("POST", "/words", body);
  const report = JSON.parse(text) as WordReport;
  if (json) await writeJson(io, text);
  else if (junit)
    await write(io.stdout, formatJunit("words", [{ name: toolset ?? "all tools", cases: toCases(report) }]));
  else await printReport(report, io);
  if (report.asked > 0 && report.found >= minRate * report.asked) return;
  if (report.asked === 0 && minRate === 0) return;
  const message = `${report.found} of ${report.asked} questions lead to the right tool, which is below ${minRate}.`;
  throw new CommandError(EXIT.failed, json || junit ? "" : message);
}

async function readQuestions(file: string, io: CommandIo): Promise<unknown[]> {
  const text = await readPayload(file === "-" ? "-" : `@${file}`, io);
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw usageError(`--questions: ${file} must be a JSON list of { "question", "expected": ["tool"] }.`);
}

const isFound = ({ verdict }: WordResult): boolean => verdict === "right" || verdict === "close";

async function printReport({ tools, asked, found, confusions, results }: WordReport, io: CommandIo): Promise<void> {
  await write(io.stdout, `${found} of ${asked} questions lead to the right one of ${tools} tools.\n`);
  if (confusions.length > 0) {
    const rows = confusions.map(({ expected, rival, wrong, questions, words, example }: Confusion) => [
      expected,
      rival,
      `${wrong} wrong, ${questions - wrong} close`,
      words.join(" "),
      example,
    ]);
    await write(io.stdout, formatTable(["EXPECTED", "RIVAL", "QUESTIONS", "WORDS", "EXAMPLE"], rows, toTableStyle(io)));
  }
  const absent = results.filter(({ verdict }) => verdict === "absent").length;
  const left = formatPlural(absent, "question");
  if (absent > 0) await write(io.stderr, `${left} not counted: the expected tools are not offered.\n`);
}

function toCases({ results }: WordReport): JunitCase[] {
  return results.flatMap((result) => {
    const { question, expected, verdict, ranked, words } = result;
    if (verdict === "absent") return [];
    const found = ranked[0]?.name ?? "nothing";
    const failure = `${verdict}: finds ${found}, not ${expected.join(" or ")} (${words.join(" ")})`;
    const outcome = { element: "failure", attributes: { message: failure } } as const;
    return [{ name: question, classname: "words", ...(isFound(result) ? {} : { outcome }) }];
  });
}
