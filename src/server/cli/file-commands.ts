import { type Command, Option } from "commander";
import type { ImportOutcome, ImportPreview } from "../../lib/contract/catalog-file";
import { openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { describeEntry } from "./describe-entry.mjs";
import { addFilterOptions, addViewOption, type FilterOptions, toFilterQuery } from "./execution-filter";
import { toLine, write, writeJson } from "./output";
import { pour, readFileArgument } from "./payload-files";

const FORMATS = ["jsonl", "csv"] as const;

interface ExportOptions extends ServerOptions, FilterOptions {
  format: (typeof FORMATS)[number];
  output?: string;
}

interface CatalogOptions extends ServerOptions {
  versions?: boolean;
  output?: string;
}

interface ImportOptions extends ServerOptions {
  dryRun?: boolean;
}

export function addFileCommands(program: Command, io: CommandIo): void {
  const group = program
    .command("export")
    .summary("Export executions as JSON Lines or CSV, or the catalog as a file")
    .description("Export executions as JSON Lines or CSV, or the catalog as a file.");
  group.addHelpText(
    "after",
    "\nExamples:\n  toolroom export executions --since 7d > week.jsonl\n  toolroom export catalog > catalog.json",
  );

  const executions = defineCommand(group, {
    syntax: "executions",
    summary: "Export recorded calls with arguments and results, newest first",
    details:
      "JSON Lines has one call a line, as GET /api/v1/executions/{id} has it. In CSV no cell runs as a formula. Values that " +
      "are stored masked stay masked.",
    isDefault: true,
    examples: [
      ["toolroom export executions --since 7d > week.jsonl", "a week as JSON Lines"],
      ["toolroom export executions --format csv --status failed -o failures.csv", "failures for a spreadsheet"],
    ],
  });
  addViewOption(addFilterOptions(executions))
    .addOption(new Option("--format <format>", "the format of the file").choices(FORMATS).default("jsonl"))
    .option("-o, --output <file>", "write into this file; default: stdout");
  addServerOptions(executions).action((options: ExportOptions) => exportExecutions(options, io));

  const catalog = defineCommand(group, {
    syntax: "catalog",
    summary: "Export tools, servers, toolsets, rules and their cases as one file, without secrets",
    examples: [
      ["toolroom export catalog > catalog.json", "fit for git: the same catalog gives the same bytes"],
      ["toolroom export catalog --versions -o catalog.json", "with earlier versions of the tools"],
    ],
  })
    .option("--versions", "with earlier versions of the tools")
    .option("-o, --output <file>", "write into this file; default: stdout");
  addServerOptions(catalog).action((options: CatalogOptions) => exportCatalog(options, io));

  const imports = defineCommand(program, {
    syntax: "import <file>",
    summary: "Import a catalog file, or the configuration of an MCP client",
    details:
      "Adds what is new and replaces what differs, all of it or nothing. What the file does not name stays. - reads stdin.",
    examples: [
      ["toolroom import catalog.json --dry-run", "say what would change"],
      ["toolroom import ~/.cursor/mcp.json", "the servers of another client"],
    ],
  }).option("--dry-run", "say what would be imported, and change nothing");
  addServerOptions(imports, "print what POST /api/v1/catalog/import answers; with --dry-run, the preview").action(
    (file: string, options: ImportOptions) => importFile(file, options, io),
  );
}

async function exportExecutions(options: ExportOptions, io: CommandIo): Promise<void> {
  const { format, output } = options;
  // A file is opened in a spreadsheet program; a pipe leads to another program.
  const bom = format === "csv" && output === undefined ? { bom: false } : {};
  const query = { ...toFilterQuery(options, Date.now()), format, ...bom };
  const api = await openApi(options, io);
  await pour(await api.stream("/executions/export", query), options.output, io);
}

async function exportCatalog({ versions, output, ...choice }: CatalogOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  await pour(await api.stream("/catalog", { versions: versions === true }), output, io);
}

async function importFile(file: string, { dryRun, json, ...choice }: ImportOptions, io: CommandIo): Promise<void> {
  const text = await readFileArgument(file, io);
  const api = await openApi(choice, io);
  const preview = await api.send<ImportPreview>("POST", "/catalog/preview", { text });
  if (!json) await write(io.stdout, describePreview(preview));
  else if (dryRun) await writeJson(io, JSON.stringify(preview));
  const refused = preview.entries.filter(
    ({ status, denied }) => status === "conflict" || status === "invalid" || (status !== "same" && denied !== null),
  );
  const reasons = [...preview.problems, ...refused.map(({ kind, name }) => `${kind} ${name}`)];
  if (reasons.length > 0) {
    const isDenied = refused.length > 0 && refused.every(({ denied }) => denied !== null);
    throw new CommandError(isDenied ? EXIT.refused : EXIT.usage, `Nothing was imported: ${reasons.join("; ")}.`);
  }
  const changed = preview.entries.filter(({ status }) => status === "add" || status === "change");
  const same = `${preview.entries.length - changed.length} without a change`;
  if (dryRun) {
    if (!json) await write(io.stdout, `${changed.length} to import, ${same}.\n`);
    return;
  }
  const decisions = changed.map(({ kind, position, status }) => ({
    kind,
    position,
    action: status === "add" ? "add" : "replace",
  }));
  const outcome =
    changed.length === 0
      ? { imported: [], skipped: preview.entries.length }
      : await api.send<ImportOutcome>("POST", "/catalog/import", { text, digest: preview.digest, decisions });
  if (json) await writeJson(io, JSON.stringify(outcome));
  else await write(io.stdout, `${outcome.imported.length} imported, ${same}.\n`);
}

function describePreview({ entries, notes }: ImportPreview): string {
  const changes = entries.filter(({ status }) => status !== "same");
  const lines = [...changes.flatMap((entry) => describeEntry(entry, toLine)), ...notes.map(toLine)];
  return lines.map((line) => `${line}\n`).join("");
}
