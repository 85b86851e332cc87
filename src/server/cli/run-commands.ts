import type { Command } from "commander";
import type { RunDifferences } from "../../lib/contract/run";
import { openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

export function addRunCommands(program: Command, io: CommandIo): void {
  const runs = program
    .command("runs")
    .summary("Compare two runs of a model with tools")
    .description("Compare two runs of a model with tools.");
  runs.addHelpText(
    "after",
    "\nExamples:\n  toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x\n  toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x --json",
  );

  const compare = defineCommand(runs, {
    syntax: "compare <before> <after>",
    summary: "Compare two runs by aligned steps, and exit with 1 where a call differs",
    details: "Responses may differ without that. A run that has not succeeded exits with 1 too.",
    examples: [
      ["toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x", "what differs, step by step"],
      ["toolroom runs compare run_7hJ2kQ9w run_9kL3mR1x --json", "the same as JSON"],
    ],
  });
  addServerOptions(compare, "print the comparison as GET /api/v1/runs/{id}/compare has it").action(
    (before: string, after: string, options: ServerOptions) => compareRuns(before, after, options, io),
  );
}

const VERDICTS: Record<RunDifferences["verdict"], string> = {
  same: "The runs are the same",
  texts: "The calls are the same",
  calls: "Calls differ",
};

async function compareRuns(
  first: string,
  second: string,
  { json, ...choice }: ServerOptions,
  io: CommandIo,
): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText(`/runs/${encodeURIComponent(second)}/compare`, { before: first });
  const { before, after, verdict, same, items } = JSON.parse(text) as RunDifferences;
  if (json) await writeJson(io, text);
  else {
    const rows = items.map((item) => {
      const toText = (side: typeof item.before): string =>
        toLine((item.changed === "result" ? side?.result : side?.text) ?? "").slice(0, 60);
      return [
        `${item.before?.step ?? "–"} → ${item.after?.step ?? "–"}`,
        `${item.kind} ${item.changed ?? ""}`,
        item.tool ?? item.part,
        toText(item.before),
        toText(item.after),
      ];
    });
    if (rows.length > 0) {
      const head = ["STEPS", "CHANGE", "PART", "FIRST", "SECOND"];
      await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
    }
    await write(io.stdout, `${VERDICTS[verdict]}: ${items.length} differ, ${same} equal.\n`);
  }
  const open = [before, after].find(({ status }) => status !== "succeeded");
  if (open !== undefined) throw new CommandError(EXIT.failed, json ? "" : `${open.id} is ${open.status}.`);
  if (verdict === "calls") throw new CommandError(EXIT.failed, "");
}
