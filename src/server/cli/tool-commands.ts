import type { Command } from "commander";
import type { ToolDetail, ToolSummary } from "../../lib/contract/catalog-tool";
import { createWordMatcher } from "../../lib/match-words";
import { openApi } from "./api-client";
import { listFields } from "./call-words";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { formatFacts, formatTable, toTableStyle, write, writeJson } from "./output";

interface ListOptions extends ServerOptions {
  server?: string;
  tag?: string;
  search?: string;
}

export function addToolCommands(program: Command, io: CommandIo): void {
  const tools = program
    .command("tools")
    .summary("List and show tools")
    .description("List and show the tools of the catalog.");
  tools.addHelpText("after", "\nExamples:\n  toolroom tools list\n  toolroom tools show get_weather");

  const list = defineCommand(tools, {
    syntax: "list",
    summary: "List the tools by name",
    examples: [
      ["toolroom tools list --search weather", "tools with this word in their name or description"],
      ["toolroom tools list --server files --json", "the tools of one server, as JSON"],
    ],
  })
    .option("--server <name>", "only the tools of this server")
    .option("--tag <tag>", "only tools with this tag")
    .option("--search <words>", "only tools with these words in name, title or description");
  addServerOptions(list, "print { items }, the tools as GET /api/v1/tools has them").action((options: ListOptions) =>
    listTools(options, io),
  );

  const show = defineCommand(tools, {
    syntax: "show <tool>",
    summary: "Show a tool with its fields",
    examples: [
      ["toolroom tools show get_weather", "what it does, and the fields it takes"],
      ["toolroom tools show get_weather --json", "with its whole definition, as JSON"],
    ],
  });
  addServerOptions(show, "print the tool as GET /api/v1/tools/{name} has it").action(
    (name: string, options: ServerOptions) => showTool(name, options, io),
  );
}

async function listTools({ server, tag, search, json, ...choice }: ListOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const all = await api.list<ToolSummary>("/tools", { server, tag });
  const matches = createWordMatcher(search ?? "");
  const items = all.filter(({ name, title, description }) => matches(name, title, description));
  if (json) return await writeJson(io, JSON.stringify({ items }));
  if (items.length === 0) return await write(io.stderr, "No tools.\n");
  const rows = items.map((tool) => [
    tool.name,
    { text: tool.enabled ? "on" : "off", color: tool.enabled ? undefined : ("gray" as const) },
    tool.server ?? "",
    tool.description,
  ]);
  await write(io.stdout, formatTable(["NAME", "STATE", "SERVER", "DESCRIPTION"], rows, toTableStyle(io)));
}

async function showTool(name: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const path = `/tools/${encodeURIComponent(name)}`;
  if (json) return await writeJson(io, await api.getText(path));
  await write(io.stdout, describeTool(await api.get<ToolDetail>(path), io));
}

/** A tool's facts and fields for a user. */
export function describeTool(tool: ToolDetail, io: CommandIo): string {
  const style = toTableStyle(io);
  const { destructiveHint, readOnlyHint } = tool.annotations;
  const facts = formatFacts(
    [
      ["Name", tool.name],
      ["Title", tool.title],
      ["Description", tool.description],
      ["Server", tool.server],
      ["State", tool.enabled ? "on" : "off"],
      ["Effect", readOnlyHint ? "read-only" : destructiveHint ? "destructive" : null],
    ],
    style.color,
  );
  const fields = listFields(tool.definition.parameters);
  if (fields.length === 0) return `${facts}\nIt takes no fields.\n`;
  const rows = fields.map(({ name, type, required, description }) => [
    `--${name}`,
    type,
    required ? "required" : "",
    description,
  ]);
  return `${facts}\n${formatTable(["FIELD", "TYPE", "", "DESCRIPTION"], rows, style)}`;
}
