import type { Command } from "commander";
import type { SuiteRunDetail, TestRunDetail } from "../../lib/contract/suite";
import { formatPlural } from "../../lib/format/count";
import { suiteOperations } from "../features/suites/suite-operations";
import { openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, type FilterOptions, toFilterQuery } from "./execution-filter";
import { addOperationCommands } from "./operation-commands";
import { toLine, write, writeJson } from "./output";
import { describeTestProblem } from "./suite-report";
import { addRunCommands } from "./suite-run-commands";
import { followTests, readSuiteFile, type TestOptions, testSuites } from "./suite-test-run";

interface ReplayOptions extends ServerOptions, FilterOptions {
  dryRun?: boolean;
  ask?: boolean;
}

export function addSuiteCommands(program: Command, io: CommandIo): void {
  const test = defineCommand(program, {
    syntax: "test [suites...]",
    summary: "Run suites of tests, and fail where a test does",
    details:
      "Runs the suites with these names, else all that have tests; with --file, those of files, which are not saved. Exits with 1 where a test " +
      "failed or did not run. Tests of tools that need approval do not run unless the suite or --ask says so.",
    examples: [
      ["toolroom test", "every suite"],
      ["toolroom test smoke --junit results.xml", "one suite, with a report"],
      ["toolroom test --file suites.json", "the suites of a file beside the code"],
      ["toolroom test smoke --json", "the runs with their results as JSON"],
    ],
  })
    .option("--file <file>", "run the suites of this file; - reads stdin; may be repeated", collect)
    .option("--junit <file>", "write a report as JUnit XML")
    .option("--ask", "calls that need approval ask for it, and the command waits");
  addServerOptions(test, "print { runs } as GET /api/v1/suite-runs/{id} has them").action(
    (suites: string[], options: TestOptions) => testSuites(suites, options, io),
  );
  addSuiteGroup(program, io);
}

function addSuiteGroup(program: Command, io: CommandIo): void {
  const suites = addOperationCommands(program, suiteOperations, io);
  addRunCommands(suites, io);

  const exports = defineCommand(suites, {
    syntax: "export [names...]",
    summary: "Print suites of tests as a file for git: the same suites give the same bytes",
    examples: [
      ["toolroom suites export > suites.json", "all of them"],
      ["toolroom suites export smoke > smoke.json", "one of them"],
    ],
  });
  addServerOptions(exports).action(async (names: string[], options: ServerOptions) => {
    const api = await openApi(options, io);
    await write(io.stdout, await api.getText("/suites/export", { name: names }));
  });

  const imports = defineCommand(suites, {
    syntax: "import <file>",
    summary: "Save the suites of a file: new ones are created, those that differ are replaced",
    examples: [
      ["toolroom suites import suites.json", "what the file does not name stays"],
      ["toolroom suites import - --json", "from stdin; say what changed as JSON"],
    ],
  });
  addServerOptions(imports, "print { created, replaced, same }").action((file: string, options: ServerOptions) =>
    importSuites(file, options, io),
  );
}

export function addReplayCommand(executions: Command, io: CommandIo): void {
  const replay = defineCommand(executions, {
    syntax: "replay-all",
    summary: "Call the current tools with the arguments of recorded calls, and compare",
    details:
      "At most 500 of the newest calls that match. Calls of tools that need approval are left out without --ask. Exits with 1 " +
      "where an outcome differs from the recorded one.",
    examples: [
      ["toolroom executions replay-all --tool get_weather --since 7d --dry-run", "count the calls"],
      ["toolroom executions replay-all --tool get_weather --since 7d", "make and compare them"],
    ],
  });
  addFilterOptions(replay)
    .option("--dry-run", "say what would be called, and call nothing")
    .option("--ask", "calls that need approval ask for it, and the command waits");
  addServerOptions(replay, "print the run as GET /api/v1/suite-runs/{id} has it; with --dry-run, the preview").action(
    (options: ReplayOptions) => replayAll(options, io),
  );
}

async function importSuites(file: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const suites = await readSuiteFile(file, io);
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", "/suites/import", JSON.stringify(suites));
  if (json) return await writeJson(io, text);
  const { created, replaced, same } = JSON.parse(text) as Record<"created" | "replaced" | "same", string[]>;
  await write(io.stdout, `${created.length} created, ${replaced.length} replaced, ${same.length} without a change.\n`);
}

async function replayAll(options: ReplayOptions, io: CommandIo): Promise<void> {
  const { user, run, ...query } = toFilterQuery(options, Date.now());
  const choice = { filter: { ...query, actor: user, runId: run } };
  const api = await openApi(options, io);
  const text = await api.sendText("POST", "/suite-runs/replay/preview", JSON.stringify(choice));
  const preview = JSON.parse(text) as { count: number; matches: number; needsApproval: { name: string }[] };
  if (options.dryRun) {
    if (options.json) return await writeJson(io, text);
    const asks = preview.needsApproval.map(({ name }) => name).join(", ");
    const note = asks === "" ? "" : ` Approval is needed for ${asks}.`;
    return await write(io.stdout, `${formatPlural(preview.count, "call")} of ${preview.matches} that match.${note}\n`);
  }
  if (preview.count === 0) throw new CommandError(EXIT.notFound, "No matching calls to replay.");
  const body = { ...choice, asksForApproval: options.ask === true };
  const ended = await followTests(await api.send<SuiteRunDetail>("POST", "/suite-runs/replay", body), api, io);
  if (options.json) await writeJson(io, JSON.stringify(ended));
  else await write(io.stdout, describeReplay(ended));
  if (ended.status !== "passed") throw new CommandError(EXIT.failed, "");
}

function describeReplay({ name, passed, failed, errors, skipped, results, error }: TestRunDetail): string {
  const differing = results
    .filter(({ status }) => status === "failed" || status === "error")
    .map(({ originalId, executionId, status, problems }) => {
      const word = status === "error" ? "failed" : "different";
      const [first] = problems;
      const why = first === undefined ? "" : `  ${toLine(describeTestProblem(first))}`;
      return `  ${word.padEnd(9)}  ${originalId ?? ""} → ${executionId ?? ""}${why}\n`;
    });
  const head = `${toLine(name)}: ${passed} same, ${failed} different, ${errors} failed, ${skipped} not called\n`;
  return head + (error === null ? "" : `  ${toLine(error)}\n`) + differing.join("");
}
