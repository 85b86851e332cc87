import { type Command, Option } from "commander";
import type { SavedView } from "../../lib/contract/saved-view";
import { VIEW_RANGES } from "../../lib/contract/view-query";
import { openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, type FilterOptions, toFilterQuery } from "./execution-filter";
import { formatTable, toTableStyle, write, writeJson } from "./output";

interface SaveOptions extends ServerOptions, FilterOptions {
  range?: string;
}

export function addViewCommands(program: Command, io: CommandIo): void {
  const views = program
    .command("views")
    .summary("List, save and delete views: filters of executions under a name, for everyone")
    .description("List, save and delete views: filters of executions under a name, for everyone.");
  views.addHelpText("after", "\nExamples:\n  toolroom views list\n  toolroom views save slow --duration from_10s");

  const list = defineCommand(views, {
    syntax: "list",
    summary: "List the saved views",
    examples: [
      ["toolroom views list", "as a table"],
      ["toolroom views list --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/views has them").action((options: ServerOptions) =>
    listViews(options, io),
  );

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

  const remove = defineCommand(views, {
    syntax: "delete <name>",
    summary: "Delete a view",
    examples: [
      ["toolroom views delete 'Failed today'", "by its name"],
      ["toolroom views delete view_5f0c…", "or its id"],
    ],
  });
  addServerOptions(remove).action((name: string, options: ServerOptions) => deleteView(name, options, io));
}

type Api = Awaited<ReturnType<typeof openApi>>;

const readViews = async (api: Api): Promise<SavedView[]> =>
  (JSON.parse(await api.getText("/views")) as { items: SavedView[] }).items;

const toPath = (id: string): string => `/views/${encodeURIComponent(id)}`;

async function listViews({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  if (json) return await writeJson(io, await api.getText("/views"));
  const items = await readViews(api);
  if (items.length === 0) return await write(io.stderr, "No saved views. Save one with: toolroom views save\n");
  const rows = items.map(({ name, owner, query, id }) => [name, owner.name, query === "" ? "all" : query, id]);
  await write(io.stdout, formatTable(["NAME", "OWNER", "FILTERS", "ID"], rows, toTableStyle(io)));
}

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

async function deleteView(name: string, choice: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const items = await readViews(api);
  const view = items.find(({ id }) => id === name) ?? findView(items, name);
  if (view === undefined) throw new CommandError(EXIT.notFound, `There is no view called ${name}.`);
  await api.sendText("DELETE", toPath(view.id));
  await write(io.stdout, `Deleted the view ${view.name}.\n`);
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
