import { type Command, Option } from "commander";
import type { z } from "zod";
import type { AnyOperation, Operations } from "../platform/api/operation";
import type { CommandDeclaration } from "../platform/api/operation-command";
import { placeInput } from "../platform/api/place-input";
import { readKind } from "../platform/api/schema-kind";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

/** A declared command, whatever its operation returns. */
type AnyCommand = CommandDeclaration<never>;
interface Shown {
  columns: Record<string, (row: unknown) => string>;
  empty: string;
  below?: (row: unknown) => readonly string[];
}
type Values = Record<string, unknown>;
type Found = { id: string; name: string };

/** The commands of a noun that its operations declare. @returns the noun's own command, which others may be added to */
export function addOperationCommands(program: Command, { noun, commands, each }: Operations, io: CommandIo): Command {
  if (commands === undefined) throw new Error(`The operations of ${noun} declare no commands`);
  const { summary, description = `${summary}.`, examples } = commands;
  const group = program.command(noun).summary(summary).description(description);
  group.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
  for (const operation of Object.values(each)) {
    if (operation.cli !== undefined && operation.rest !== null) {
      addCommand(group, { operation, cli: operation.cli, rest: operation.rest, io });
    }
  }
  return group;
}

interface Declared {
  operation: AnyOperation;
  cli: AnyCommand;
  rest: string;
  io: CommandIo;
}

function addCommand(group: Command, declared: Declared): void {
  const { operation, cli, rest } = declared;
  const { words, summary = operation.summary, details, examples, options = {} } = cli;
  const command = defineCommand(group, { syntax: words, summary, examples, ...(details !== undefined && { details }) });
  const { query, body } = placeInput(operation, rest);
  const shape: Record<string, z.ZodType | undefined> = { ...query?.shape, ...body?.shape };
  for (const [field, [flags, text]] of Object.entries(options)) {
    const option = new Option(flags, text);
    const kind = readKind(shape[field]);
    if (kind === "array") option.argParser(collect);
    if (kind === "number") option.argParser(Number);
    if (shape[field]?.safeParse(undefined).success === false) option.makeOptionMandatory();
    command.addOption(option);
  }
  if (isPaged(operation)) command.option("--all", "all pages of the list, not the first alone");
  addServerOptions(command, describeJson(operation, rest)).action(async (...given: unknown[]) => {
    const names = [...words.matchAll(/[<[](\w+)[>\]]/g)].map(([, name = ""]) => name);
    const flags = given[names.length] as ServerOptions & Values;
    const values: Values = Object.fromEntries(names.map((name, index) => [name, given[index]]));
    for (const [field, [text]] of Object.entries(options)) {
      values[field] = flags[new Option(text).attributeName()];
    }
    await runCommand(declared, values, { flags, name: String(given[0] ?? "") });
  });
}

const isList = ({ output }: AnyOperation): boolean => readKind(output) === "array";

/** Whether the REST API returns the list in pages. */
function isPaged(operation: AnyOperation): boolean {
  const { shape } = (operation.output ?? {}) as { shape?: object };
  return operation.pagedBy !== undefined || (shape !== undefined && "nextCursor" in shape);
}

function describeJson(operation: AnyOperation, rest: string): string | undefined {
  const [method, path] = rest.split(" ");
  if (operation.output === undefined) return undefined;
  const what = isPaged(operation) ? "{ items, nextCursor } as" : isList(operation) ? "{ items } as" : "the answer as";
  return `print ${what} ${method} /api/v1${path} has ${isPaged(operation) || isList(operation) ? "them" : "it"}`;
}

interface Asked {
  flags: ServerOptions & Values;
  /** The first argument. */
  name: string;
}

async function runCommand(declared: Declared, values: Values, { flags, name }: Asked): Promise<void> {
  const { cli, io } = declared;
  const api = await openApi(flags, io);
  const found = cli.find === undefined ? null : await findByName(api, cli.find, name);
  const text = await ask(api, declared, { values: found === null ? values : { ...values, id: found.id }, flags });
  const { table, say, note, fail } = cli as {
    table?: Shown;
    say?: (result: unknown, name: string) => string;
    note?: (result: unknown) => string;
    fail?: (result: unknown) => string | null;
  };
  const result: unknown = text === "" ? undefined : JSON.parse(text);
  const failure = fail?.(result) ?? null;
  if (flags.json) await writeJson(io, text);
  else if (table !== undefined) await writeTable(result as { items: unknown[]; nextCursor?: string | null }, table, io);
  else if (failure === null) {
    if (note !== undefined) await write(io.stderr, `${note(result)}\n`);
    if (say !== undefined) await write(io.stdout, `${say(result, found?.name ?? name)}\n`);
  }
  if (failure !== null) throw new CommandError(EXIT.failed, flags.json ? "" : failure);
}

/** @returns the text of the answer, of all pages with `--all` */
async function ask(
  api: ApiClient,
  { operation, rest }: Declared,
  { values, flags }: { values: Values; flags: Values },
): Promise<string> {
  const { method, path: pattern } = placeInput(operation, rest);
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !pattern.includes(`{${name}}`)));
  if (flags.all === true && isPaged(operation)) {
    return JSON.stringify({ items: await api.list(path, others as Record<string, string>), nextCursor: null });
  }
  if (method === "GET") return await api.getText(path, others as Record<string, string>);
  return await api.sendText(method as "POST", path, method === "DELETE" ? undefined : JSON.stringify(others));
}

async function findByName(api: ApiClient, { list, kind }: { list: string; kind: string }, name: string) {
  const { items } = await api.get<{ items: Found[] }>(list);
  const isNamed = (each: Found): boolean => each.name.toLowerCase() === name.toLowerCase();
  const found = items.find(({ id }) => id === name) ?? items.find(isNamed);
  if (found === undefined) throw new CommandError(EXIT.notFound, `There is no ${kind} called ${name}.`);
  return found;
}

async function writeTable(
  { items, nextCursor = null }: { items: unknown[]; nextCursor?: string | null },
  { columns, empty, below }: Shown,
  io: CommandIo,
): Promise<void> {
  if (items.length === 0) return await write(io.stderr, `${empty}\n`);
  const rows = items.map((item) => Object.values(columns).map((toCell) => toCell(item)));
  await write(io.stdout, formatTable(Object.keys(columns), rows, toTableStyle(io)));
  const lines = below === undefined ? [] : items.flatMap(below);
  await write(io.stdout, lines.map((line) => `${toLine(line)}\n`).join(""));
  if (nextCursor !== null) await write(io.stderr, `The first ${items.length} of more: --all lists all of them.\n`);
}
