import { type Command, Option } from "commander";
import type { z } from "zod";
import type { AnyOperation, Operations } from "../platform/api/operation";
import type { CommandDeclaration, CommandGroup, CommandPart } from "../platform/api/operation-command";
import { placeInput } from "../platform/api/place-input";
import { readKind } from "../platform/api/schema-kind";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { formatForUser } from "./format-result";
import { formatFacts, formatTable, toLine, toTableStyle, write, writeJson } from "./output";
import { pour, readFileArgument } from "./payload-files";

/** A declared command with any operation result. */
type AnyCommand = CommandDeclaration<never>;
interface Shown {
  columns: Record<string, (row: unknown) => string>;
  empty: string | ((name: string) => string);
  below?: (row: unknown) => readonly string[];
}
type Values = Record<string, unknown>;
type Found = { id: string; name: string };

/** The commands that the operations of a noun declare. @returns the command that they are in, which others may be added to */
export function addOperationCommands(program: Command, { noun, commands, each }: Operations, io: CommandIo): Command {
  if (commands === undefined) throw new Error(`The operations of ${noun} declare no commands`);
  const group = "under" in commands ? findGroup(program, commands.under) : addGroup(program, noun, commands);
  for (const operation of Object.values(each)) {
    if (operation.cli !== undefined && operation.rest !== null) {
      addCommand(group, { operation, cli: operation.cli, rest: operation.rest, io });
    }
  }
  return group;
}

function addGroup(program: Command, noun: string, { name = noun, ...texts }: CommandGroup): Command {
  const { summary, description = `${summary}.`, examples } = texts;
  const group = program.command(name).summary(summary).description(description);
  return group.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
}

function findGroup(program: Command, name: string): Command {
  const group = name === "" ? program : program.commands.find((command) => command.name() === name);
  if (group === undefined) throw new Error(`There are no commands called ${name} yet`);
  return group;
}

interface Declared {
  operation: AnyOperation;
  cli: AnyCommand;
  rest: string;
  io: CommandIo;
}

function addCommand(group: Command, declared: Declared): void {
  const { operation, cli, rest, io } = declared;
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
  if (operation.download !== undefined) command.option("-o, --output <file>", "write into this file; default: stdout");
  if (isPaged(operation) && cli.table?.whole !== true) {
    command.option("--all", "all pages of the list, not the first alone");
  }
  addServerOptions(command, describeJson(declared)).action(async (...given: unknown[]) => {
    const names = command.registeredArguments.map((argument) => argument.name());
    const flags = given[names.length] as ServerOptions & Values;
    const values = await readArguments(cli, names, given, io);
    for (const [field, [text]] of Object.entries(options)) {
      values[field] = flags[new Option(text).attributeName()];
    }
    await runCommand(declared, values, { flags, name: String(given[0] ?? "") });
  });
}

/** The arguments as fields of the input. */
async function readArguments(
  { fields, file }: AnyCommand,
  names: readonly string[],
  given: readonly unknown[],
  io: CommandIo,
): Promise<Values> {
  const values: Values = {};
  for (const [index, name] of names.entries()) {
    if (name === "file" && file !== undefined) values[file] = await readFileArgument(String(given[index]), io);
    else values[fields?.[name] ?? name] = given[index];
  }
  return values;
}

/** Does what the command of an operation does, as a part of another command. */
export async function runOperation(
  operation: AnyOperation,
  values: { name: string } & Values,
  flags: ServerOptions,
  io: CommandIo,
): Promise<void> {
  if (operation.cli === undefined || operation.rest === null) throw new Error("The operation declares no command");
  const declared = { operation, cli: operation.cli, rest: operation.rest, io };
  await runCommand(declared, values, { flags: { ...flags }, name: values.name });
}

const isList = ({ output }: AnyOperation): boolean => readKind(output) === "array";

/** Whether the REST API returns the list in pages. */
function isPaged(operation: AnyOperation): boolean {
  const { shape } = (operation.answeredAs?.output ?? operation.output ?? {}) as { shape?: object };
  return operation.pagedBy !== undefined || (shape !== undefined && "nextCursor" in shape);
}

/** What `--json` prints; undefined without an answer, and for a file, which is printed as it is. */
function describeJson({ operation, cli, rest }: Declared): string | undefined {
  const [method, path] = rest.split(" ");
  if (operation.output === undefined || operation.download !== undefined) return undefined;
  const isPart = isPaged(operation) && cli.table?.whole !== true;
  const isWhole = isList(operation) || isPaged(operation);
  const what = isPart ? "{ items, nextCursor } as" : isWhole ? "{ items } as" : "the answer as";
  return `print ${what} ${method} /api/v1${path} has ${isPart || isWhole ? "them" : "it"}`;
}

interface Asked {
  flags: ServerOptions & Values;
  /** The name in the first argument. */
  name: string;
}

async function runCommand(declared: Declared, values: Values, { flags, name }: Asked): Promise<void> {
  const { operation, cli, rest, io } = declared;
  const api = await openApi(flags, io);
  const found = cli.find === undefined ? null : await findByName(api, cli.find, name);
  if (found !== null) values.id = found.id;
  if (operation.download !== undefined) {
    const { path, others } = placeValues(operation, rest, values);
    return await pour(await api.stream(path, others), flags.output as string | undefined, io);
  }
  const text = await ask(api, declared, { values, flags });
  const result: unknown = text === "" ? undefined : JSON.parse(text);
  const { fail, failsAs } = cli as { fail?: (result: unknown, name: string) => string | null; failsAs?: "refused" };
  const failure = fail?.(result, name) ?? null;
  if (flags.json) await writeJson(io, text);
  else await writeAnswer(declared, { result, text, name: found?.name ?? name, url: api.url, isDone: failure === null });
  if (failure !== null)
    throw new CommandError(failsAs === undefined ? EXIT.failed : EXIT.refused, flags.json ? "" : failure);
}

interface Answer {
  result: unknown;
  text: string;
  name: string;
  url: string;
  isDone: boolean;
}

async function writeAnswer({ cli, io }: Declared, { result, text, name, url, isDone }: Answer): Promise<void> {
  const { table, print, say, note } = cli as {
    table?: Shown;
    print?: (result: unknown, text: string) => readonly CommandPart[];
    say?: (result: unknown, name: string, url: string) => string;
    note?: (result: unknown) => string;
  };
  if (table !== undefined)
    await writeTable(result as { items: unknown[]; nextCursor?: string | null }, table, name, io);
  else if (print !== undefined) await writeParts(print(result, text), io);
  else if (isDone) {
    if (note !== undefined) await write(io.stderr, `${note(result)}\n`);
    if (say !== undefined) await write(io.stdout, `${say(result, name, url)}\n`);
  }
}

/** Writes the output of a command, part by part. */
export async function writeParts(parts: readonly CommandPart[], io: CommandIo): Promise<void> {
  const style = toTableStyle(io);
  const toText = (lines: readonly string[]): string => lines.map((line) => `${toLine(line)}\n`).join("");
  for (const part of parts) {
    if ("notes" in part) await write(io.stderr, toText(part.notes));
    else if ("lines" in part) await write(io.stdout, toText(part.lines));
    else if ("facts" in part) await write(io.stdout, formatFacts(part.facts, style.color));
    else if ("json" in part) await write(io.stdout, `${formatForUser(part.json)}\n`);
    else await write(io.stdout, formatTable(part.head, part.rows, style));
  }
}

/** The path with its parameters, and the values that the query or the body gets. */
function placeValues(operation: AnyOperation, rest: string, values: Values) {
  const { method, path: pattern } = placeInput(operation, rest);
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !pattern.includes(`{${name}}`)));
  return { method, path, others: others as Record<string, string> };
}

/** @returns the text of the answer, of all pages with `--all` */
async function ask(
  api: ApiClient,
  { operation, cli, rest }: Declared,
  { values, flags }: { values: Values; flags: Values },
): Promise<string> {
  const { method, path, others } = placeValues(operation, rest, values);
  if (isPaged(operation) && cli.table?.whole === true) return JSON.stringify({ items: await api.list(path, others) });
  if (flags.all === true && isPaged(operation)) {
    return JSON.stringify({ items: await api.list(path, others), nextCursor: null });
  }
  if (method === "GET") return await api.getText(path, others);
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
  name: string,
  io: CommandIo,
): Promise<void> {
  if (items.length === 0) return await write(io.stderr, `${typeof empty === "string" ? empty : empty(name)}\n`);
  const rows = items.map((item) => Object.values(columns).map((toCell) => toCell(item)));
  await write(io.stdout, formatTable(Object.keys(columns), rows, toTableStyle(io)));
  const lines = below === undefined ? [] : items.flatMap(below);
  await write(io.stdout, lines.map((line) => `${toLine(line)}\n`).join(""));
  if (nextCursor !== null) await write(io.stderr, `The first ${items.length} of more: --all lists all of them.\n`);
}
