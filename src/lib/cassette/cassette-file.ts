import type { CallEvent } from "../contract/call-event";
import { type CassetteInput, cassetteInputSchema } from "../contract/cassette";
import type { InteractionAnswer, InteractionRequest } from "../contract/interaction";
import { isPlainObject } from "../contract/json";
import { keepExactText, readExact } from "../json/exact-text";
import { isBeyondLimits, isTextNestedDeeperThan } from "../json/limits";
import { INLINE_CHARS, parseJson } from "../parse-in-slices";
import { TimeSlice } from "../time-slice";
import { readMembers } from "./read-members";

/** A tool as it was listed, under the name that callers used. */
export interface CassetteTool {
  /** The entry of `tools/list`. */
  entry: { name: string; inputSchema: Record<string, unknown>; [key: string]: unknown };
  server: string | null;
  /** The name in the catalog, for a live call; null where it is the listed one. */
  catalogName: string | null;
  /** Paths of arguments whose values are masked in reports. */
  sensitive: readonly string[];
}

export interface CassetteCall {
  kind: "tool" | "resource" | "prompt";
  /** The listed name of the tool, the URI of the resource, or the name of the prompt. */
  name: string;
  server: string | null;
  args: Record<string, unknown>;
  /** JSON text as it was sent. */
  argumentsText: string;
  /** JSON text of the result; of the protocol error where `failed`. */
  outcomeText: string;
  failed: boolean;
  /** Whether the call ran as a task of its server. */
  task: boolean;
  events: readonly CallEvent[];
}

export interface CassetteContent {
  tools: readonly CassetteTool[];
  calls: readonly CassetteCall[];
}

/** A line that cannot be read: the message names the line and the field. */
class CassetteFileError extends Error {
  override readonly name = "CassetteFileError";
  constructor(
    readonly line: number,
    readonly field: string,
    problem: string,
  ) {
    super(`Line ${line}: ${field === "" ? "" : `${field} `}${problem}`);
  }
}

/** The longest line: a result, or a tool with its schemas. */
const MAX_LINE_CHARS = 16_000_000;
export const MAX_CASSETTE_CALLS = 5_000;
const MAX_CASSETTE_TOOLS = 2_000;
export const MAX_CASSETTE_CHARS = 20_000_000;
/** The greatest depth of objects and lists, as in other long JSON texts. */
const MAX_DEPTH = 1_000;

const CALL_KEYS = { call: "tool", read: "resource", prompt: "prompt" } as const;
const FIELDS = {
  header: ["toolroom", "version", "name", "notes", "settings"],
  tool: ["tool", "server", "catalogName", "sensitive"],
  call: ["server", "arguments", "task", "events", "result", "error"],
};

/** The file's text: a header, the tools, the calls, one a line and without times, so that a diff shows what changed. */
export function formatCassette(input: CassetteInput, lines: readonly string[]): string {
  return `${[formatHeader(input), ...lines].join("\n")}\n`;
}

function formatHeader({ name, notes, settings }: CassetteInput): string {
  const { ignore, repeats, questions, passthrough, faults } = settings;
  const ordered = { ignore, repeats, questions, passthrough, faults };
  return JSON.stringify({ toolroom: "cassette", version: 1, name, notes, settings: ordered });
}

export function formatTool({ entry, server, catalogName, sensitive }: CassetteTool): string {
  return JSON.stringify({
    tool: entry,
    ...(server === null ? {} : { server }),
    ...(catalogName === null ? {} : { catalogName }),
    ...(sensitive.length === 0 ? {} : { sensitive }),
  });
}

/** Texts of arguments and results stay as they are, so that numbers keep their digits. */
export function formatCall(call: CassetteCall): string {
  const { kind, name, server, argumentsText, outcomeText, failed, task, events } = call;
  const [key] = Object.entries(CALL_KEYS).find(([, each]) => each === kind) as [string, string];
  const members = [
    `${JSON.stringify(key)}:${JSON.stringify(name)}`,
    ...(server === null ? [] : [`"server":${JSON.stringify(server)}`]),
    ...(kind === "resource" ? [] : [`"arguments":${argumentsText}`]),
    ...(task ? ['"task":true'] : []),
    ...(events.length === 0 ? [] : [`"events":${JSON.stringify(events)}`]),
    `${failed ? '"error"' : '"result"'}:${outcomeText}`,
  ];
  return `{${members.join(",")}}`;
}

export interface ReadCassette {
  input: CassetteInput;
  content: CassetteContent;
  lines: string[];
}

/** Gives other work its turn between lines. @throws CassetteFileError that names the first line and field that cannot be read */
export async function parseCassette(text: string): Promise<ReadCassette> {
  const rows = text.split("\n");
  if (rows.at(-1)?.trim() === "") rows.pop();
  const [first = "", ...rest] = rows;
  const input = readHeader(await readObject(first, 1));
  const content = await parseLines(rest, 2);
  const slice = new TimeSlice();
  const lines: string[] = [];
  for (const tool of content.tools) {
    lines.push(formatTool(tool));
    await slice.pause();
  }
  for (const call of content.calls) {
    lines.push(formatCall(call));
    await slice.pause();
  }
  return { input, content, lines };
}

/** @param firstLine the number of the first one in its file */
export async function parseLines(
  rows: readonly string[],
  firstLine: number,
): Promise<{ tools: CassetteTool[]; calls: CassetteCall[] }> {
  const tools: CassetteTool[] = [];
  const calls: CassetteCall[] = [];
  const names = new Set<string>();
  /** The line of the first call of each tool. */
  const calledAt = new Map<string, number>();
  const slice = new TimeSlice();
  for (const [index, row] of rows.entries()) {
    const line = firstLine + index;
    const value = await readObject(row, line);
    if (Object.hasOwn(value, "tool")) {
      const tool = readTool(value, line);
      if (names.has(tool.entry.name))
        throw new CassetteFileError(line, "tool.name", `'${tool.entry.name}' is there twice`);
      names.add(tool.entry.name);
      tools.push(tool);
      if (tools.length > MAX_CASSETTE_TOOLS)
        throw new CassetteFileError(line, "", `a cassette holds ${MAX_CASSETTE_TOOLS} tools at most`);
    } else {
      const call = readCall(value, await readMembers(row, slice), line);
      if (call.kind === "tool" && !calledAt.has(call.name)) calledAt.set(call.name, line);
      calls.push(call);
      if (calls.length > MAX_CASSETTE_CALLS)
        throw new CassetteFileError(line, "", `a cassette holds ${MAX_CASSETTE_CALLS} calls at most`);
    }
    await slice.pause();
  }
  for (const [name, line] of calledAt)
    if (!names.has(name)) throw new CassetteFileError(line, "call", `names '${name}', and no line has that tool`);
  return { tools, calls };
}

async function readObject(row: string, line: number): Promise<Record<string, unknown>> {
  if (row.length > MAX_LINE_CHARS) throw new CassetteFileError(line, "", `is longer than ${MAX_LINE_CHARS} characters`);
  if (isTextNestedDeeperThan(row.slice(0, INLINE_CHARS), MAX_DEPTH))
    throw new CassetteFileError(line, "", `is nested more than ${MAX_DEPTH} levels deep`);
  let value: unknown;
  try {
    value = await parseJson(row);
  } catch (error) {
    const problem = isBeyondLimits(error) ? error.message : "is not JSON: every line is one JSON object";
    throw new CassetteFileError(line, "", problem);
  }
  if (!isPlainObject(value)) throw new CassetteFileError(line, "", "must be a JSON object");
  return value;
}

function rejectUnknown(value: Record<string, unknown>, known: readonly string[], line: number): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new CassetteFileError(line, JSON.stringify(unknown.slice(0, 100)), `is unknown: use ${known.join(", ")}`);
}

function readHeader(value: Record<string, unknown>): CassetteInput {
  if (value.toolroom !== "cassette")
    throw new CassetteFileError(1, "toolroom", 'must be "cassette": this is no cassette file');
  if (value.version !== 1) throw new CassetteFileError(1, "version", "must be 1: a newer Toolroom wrote this file");
  rejectUnknown(value, FIELDS.header, 1);
  const { name, notes, settings } = value;
  const read = cassetteInputSchema.strict().safeParse({ name, notes, settings });
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new CassetteFileError(1, issue?.path.join(".") ?? "", issue?.message ?? "is invalid");
}

function readServer(value: Record<string, unknown>, line: number): string | null {
  const { server = null } = value;
  if (server === null || (typeof server === "string" && server.length <= 200)) return server;
  throw new CassetteFileError(line, "server", "must be a text of at most 200 characters");
}

function readTool(value: Record<string, unknown>, line: number): CassetteTool {
  rejectUnknown(value, FIELDS.tool, line);
  const { tool, catalogName = null, sensitive = [] } = value;
  if (!isPlainObject(tool)) throw new CassetteFileError(line, "tool", "must be an object, as tools/list has it");
  if (typeof tool.name !== "string" || tool.name === "" || tool.name.length > 256) {
    throw new CassetteFileError(line, "tool.name", "must be a text of 1 to 256 characters");
  }
  if (!isPlainObject(tool.inputSchema))
    throw new CassetteFileError(line, "tool.inputSchema", "must be a JSON Schema object");
  if (tool.outputSchema !== undefined && !isPlainObject(tool.outputSchema)) {
    throw new CassetteFileError(line, "tool.outputSchema", "must be a JSON Schema object");
  }
  if (tool.description !== undefined && typeof tool.description !== "string") {
    throw new CassetteFileError(line, "tool.description", "must be a text");
  }
  if (catalogName !== null && (typeof catalogName !== "string" || catalogName.length > 256)) {
    throw new CassetteFileError(line, "catalogName", "must be a text of at most 256 characters");
  }
  if (!Array.isArray(sensitive) || !sensitive.every((path) => typeof path === "string")) {
    throw new CassetteFileError(line, "sensitive", "must be a list of paths");
  }
  return { entry: tool as CassetteTool["entry"], server: readServer(value, line), catalogName, sensitive };
}

function readCall(value: Record<string, unknown>, texts: ReadonlyMap<string, string>, line: number): CassetteCall {
  const key = (Object.keys(CALL_KEYS) as (keyof typeof CALL_KEYS)[]).find((each) => Object.hasOwn(value, each));
  if (key === undefined) throw new CassetteFileError(line, "", "needs one of tool, call, read, prompt");
  rejectUnknown(value, [key, ...FIELDS.call], line);
  const kind = CALL_KEYS[key];
  const { [key]: name, arguments: args = {}, task = false } = value;
  if (typeof name !== "string" || name === "")
    throw new CassetteFileError(line, key, "must be a text that is not empty");
  if (!isPlainObject(args)) throw new CassetteFileError(line, "arguments", "must be an object");
  if (typeof task !== "boolean") throw new CassetteFileError(line, "task", "must be true or false");
  const failed = value.error !== undefined;
  if (failed === (value.result !== undefined))
    throw new CassetteFileError(line, "result", "or error is needed, and not both");
  const outcome = failed ? value.error : value.result;
  if (!isPlainObject(outcome)) throw new CassetteFileError(line, failed ? "error" : "result", "must be an object");
  checkOutcome(kind, failed, outcome, line);
  const argumentsText = texts.get("arguments") ?? "{}";
  return {
    kind,
    name,
    server: readServer(value, line),
    args: readExactArguments(args, argumentsText),
    failed,
    task,
    argumentsText,
    outcomeText: texts.get(failed ? "error" : "result") ?? "{}",
    events: readEvents(value.events ?? [], line),
  };
}

/** Reading the digits takes some 0.2 ms per kilobyte, within one turn of the event loop. */
const MAX_EXACT_CHARS = 262_144;

/** Numbers that a double cannot hold are compared as they were written, in arguments of at most `MAX_EXACT_CHARS`. */
export function readExactArguments(args: Record<string, unknown>, text: string): Record<string, unknown> {
  if (text.length > MAX_EXACT_CHARS) return args;
  keepExactText(args, text);
  return readExact(args);
}

function checkOutcome(
  kind: CassetteCall["kind"],
  failed: boolean,
  outcome: Record<string, unknown>,
  line: number,
): void {
  if (failed) {
    if (!Number.isSafeInteger(outcome.code)) throw new CassetteFileError(line, "error.code", "must be an integer");
    if (typeof outcome.message !== "string") throw new CassetteFileError(line, "error.message", "must be a text");
    return;
  }
  const list = { tool: "content", resource: "contents", prompt: "messages" }[kind];
  const items = outcome[list];
  if (!Array.isArray(items) || !items.every(isPlainObject)) {
    throw new CassetteFileError(line, `result.${list}`, "must be a list of objects");
  }
}

function readLog(log: unknown, field: string, line: number): Extract<CallEvent, { log: unknown }>["log"] {
  if (!isPlainObject(log) || typeof log.level !== "string" || !("data" in log)) {
    throw new CassetteFileError(line, field, "must have a level and data");
  }
  return { level: log.level, ...(typeof log.logger === "string" ? { logger: log.logger } : {}), data: log.data };
}

function readEvents(events: unknown, line: number): CallEvent[] {
  if (!Array.isArray(events)) throw new CassetteFileError(line, "events", "must be a list");
  return events.map((event: unknown, index) => {
    const field = `events[${index}]`;
    if (!isPlainObject(event)) throw new CassetteFileError(line, field, "must be an object");
    const { progress, total, message, ask, answer, log } = event;
    if (log !== undefined) return { log: readLog(log, `${field}.log`, line) };
    if (progress === undefined) {
      if (!isPlainObject(ask) || !["form", "url", "sampling"].includes(String(ask.kind))) {
        throw new CassetteFileError(line, `${field}.ask.kind`, "must be form, url or sampling");
      }
      if (!isPlainObject(answer) || !["accept", "decline", "cancel"].includes(String(answer.action))) {
        throw new CassetteFileError(line, `${field}.answer.action`, "must be accept, decline or cancel");
      }
      return { ask: ask as unknown as InteractionRequest, answer: answer as unknown as InteractionAnswer };
    }
    if (typeof progress !== "number") throw new CassetteFileError(line, `${field}.progress`, "must be a number");
    return {
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    };
  });
}
