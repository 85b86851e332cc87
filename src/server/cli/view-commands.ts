import { type Command, Option } from "commander";
import type { SavedView } from "../../lib/contract/saved-view";
import { VIEW_RANGES } from "../../lib/contract/view-query";
import { viewOperations } from "../features/views/view-operations";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, type FilterOptions, toFilterQuery } from "./execution-filter";
import { addOperationCommands } from "./operation-commands";
import { write, writeJson } from "./output";

interface SaveOptions extends ServerOptions, FilterOptions {
  range?: string;
}

export function addViewCommands(program: Command, io: CommandIo): void {
  const views = addOperationCommands(program, viewOperations, io);
  const save = defineCommand(views, {
    syntax: "save <name>",
    summary: "Save filters as a view, or replace the filters of the view with this name",
    details: "--range counts from the moment at which the view is opened; --since and --until are fixed times.",
    examples: [
      ["toolroom views save 'Failed today' --status failed --range today", "a view for everyone"],
      ["toolroom views save slow --duration from_10s --duration from_60s", "calls of ten seconds and more"],
    ],
  });
  addFilterOptions(save).addOption(
    new Option("--range <range>", "a time that moves with the clock").choices(VIEW_RANGES),
  );
  addServerOptions(save, "print the view as POST /api/v1/views has it").action((name: string, options: SaveOptions) =>
    saveView(name, options, io),
  );
}

type Api = Awaited<ReturnType<typeof openApi>>;

const readViews = async (api: Api): Promise<SavedView[]> =>
  (JSON.parse(await api.getText("/views")) as { items: SavedView[] }).items;

const toPath = (id: string): string => `/views/${encodeURIComponent(id)}`;

async function saveView(name: string, { json, range, ...options }: SaveOptions, io: CommandIo): Promise<void> {
  const query = toAddress(options, range);
  const api = await openApi(options, io);
  const existing = findView(await readViews(api), name);
  const body = JSON.stringify({ name, query });
  const text = await (existing === undefined
    ? api.sendText("POST", "/views", body)
    : api.sendText("PUT", toPath(existing.id), body));
  if (json) return await writeJson(io, text);
  await write(io.stdout, `${existing === undefined ? "Saved" : "Replaced"} the view ${name}.\n`);
}

const findView = (views: readonly SavedView[], name: string): SavedView | undefined =>
  views.find((view) => view.name.toLowerCase() === name.toLowerCase());

/** The filters as in the address of Executions. */
function toAddress(options: FilterOptions, range: string | undefined): string {
  const { since, until, user, run, pinned, ...filter } = toFilterQuery(options, Date.now());
  const isDated = since !== undefined || until !== undefined;
  if (isDated && range !== undefined) throw usageError("--range cannot be given with --since or --until.");
  const pairs = Object.entries({
    ...filter,
    actor: user,
    run,
    pinned: pinned ? "true" : undefined,
    range: isDated ? "custom" : range,
    since,
    until,
  });
  return new URLSearchParams(
    pairs.flatMap(([key, value]) => {
      if (value === undefined) return [];
      return [[key, Array.isArray(value) ? value.map((each) => each.replaceAll(",", "%2C")).join(",") : String(value)]];
    }),
  ).toString();
}
