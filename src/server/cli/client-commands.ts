import type { Command } from "commander";
import type { ClientList, ClientListSummary, ListComparison } from "../../lib/contract/client";
import { getDayBounds } from "../../lib/format/time-zone";
import { clientOperations } from "../features/clients/client-operations";
import { formatTime } from "../features/clients/client-output";
import { openApi } from "./api-client";
import { addClientCheck } from "./client-check";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands } from "./operation-commands";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

const DESCRIPTION_CHARS = 100;

interface ListsOptions extends ServerOptions {
  day?: string;
}

interface ListOptions extends ServerOptions {
  since?: string;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const toPath = (client: string): string => `/clients/${encodeURIComponent(client)}`;

export function addClientCommands(program: Command, io: CommandIo): void {
  const clients = addOperationCommands(program, clientOperations, io);
  addClientCheck(clients, io);
  const lists = defineCommand(clients, {
    syntax: "lists <client>",
    summary: "List the lists of tools that a client was given, all or those of a day",
    examples: [
      ["toolroom clients lists claude-code --day 2026-11-24", "what it was given on that day, in your time zone"],
      ["toolroom clients lists claude-code --json", "those of 30 days, as JSON"],
    ],
  }).option("--day <date>", "a day, as 2026-11-24");
  addServerOptions(lists, "print { items } as GET /api/v1/clients/{client}/lists has them").action(
    (client: string, options: ListsOptions) => listLists(client, options, io),
  );

  const read = defineCommand(clients, {
    syntax: "open <client> <hash>",
    summary: "Print a list as a client was given it, or its difference from another one",
    details: "A hash may be shortened to its beginning.",
    examples: [
      ["toolroom clients open claude-code 5f0cA1bz", "names and descriptions"],
      ["toolroom clients open claude-code 5f0cA1bz --json", "with the schemas, as JSON"],
      ["toolroom clients open claude-code 5f0cA1bz --since 9Q2xYw0k", "what changed since the second list"],
    ],
  }).option("--since <hash>", "the list that it is compared with");
  addServerOptions(
    read,
    "print the list, or the comparison, as GET /api/v1/clients/{client}/lists/{hash} has it",
  ).action((client: string, hash: string, options: ListOptions) => readList(client, hash, options, io));
}

/** A day of the caller's time zone. */
function toWindow(day: string | undefined): string {
  if (day === undefined) return "";
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(`${day}T00:00:00Z`))) {
    throw usageError("--day must be a date such as 2026-11-24.");
  }
  const { since, until } = getDayBounds(day, zone);
  return `?since=${since}&until=${until + 1}`;
}

async function listLists(client: string, { json, day, ...choice }: ListsOptions, io: CommandIo): Promise<void> {
  const query = toWindow(day);
  const api = await openApi(choice, io);
  const text = await api.getText(`${toPath(client)}/lists${query}`);
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: ClientListSummary[] };
  if (items.length === 0) return await write(io.stderr, "It fetched no list of tools then.\n");
  const rows = items.map(({ hash, tools, count, firstAt, lastAt, address }) => [
    hash.slice(0, 12),
    String(tools),
    String(count),
    formatTime(firstAt),
    formatTime(lastAt),
    toLine(address),
  ]);
  const head = ["LIST", "TOOLS", "FETCHED", "FIRST", "LAST", "ADDRESS"];
  await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
}

async function readList(
  client: string,
  hash: string,
  { json, since, ...choice }: ListOptions,
  io: CommandIo,
): Promise<void> {
  const api = await openApi(choice, io);
  const path = `${toPath(client)}/lists/${encodeURIComponent(since ?? hash)}`;
  const text = await api.getText(since === undefined ? path : `${path}/compare/${encodeURIComponent(hash)}`);
  if (json) return await writeJson(io, text);
  if (since !== undefined) return await writeComparison(JSON.parse(text) as ListComparison, io);
  const { tools, leftOut, firstAt, lastAt, count } = JSON.parse(text) as ClientList;
  await write(io.stderr, `Fetched ${count} times, from ${formatTime(firstAt)} to ${formatTime(lastAt)}.\n`);
  const rows = tools.map(({ name, entry }) => [
    toLine(name),
    toLine(readDescription(entry)).slice(0, DESCRIPTION_CHARS),
  ]);
  if (rows.length > 0) await write(io.stdout, formatTable(["TOOL", "DESCRIPTION"], rows, toTableStyle(io)));
  for (const { name, reason } of leftOut) await write(io.stderr, `Left out: ${toLine(name)} (${reason})\n`);
}

async function writeComparison({ added, removed, changed }: ListComparison, io: CommandIo): Promise<void> {
  const rows = [
    ...added.map((name) => [toLine(name), "added", ""]),
    ...removed.map((name) => [toLine(name), "removed", ""]),
    ...changed.map(({ name, kind, details }) => [toLine(name), kind ?? "changed", toLine(details.join("; "))]),
  ];
  if (rows.length === 0) return await write(io.stderr, "Both lists have the same tools.\n");
  await write(io.stdout, formatTable(["TOOL", "CHANGE", "DETAILS"], rows, toTableStyle(io)));
}

function readDescription(entry: unknown): string {
  const { description } = (entry ?? {}) as { description?: unknown };
  return typeof description === "string" ? description : "";
}
