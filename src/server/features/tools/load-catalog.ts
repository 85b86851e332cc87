import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import { equalDigits } from "../../../lib/json/number-digits";
import type { Logger } from "../../engine/ports";
import type { LoadOutcome } from "../../engine/registry/tool-registry";
import { TimeSlice } from "../../engine/time-slice";
import type { Change } from "../../platform/shared/announced-edits";
import type { Catalog } from "./catalog";
import type { CatalogEntry } from "./catalog-entry";
import type { StoredTool, ToolStore } from "./tool-store";

/** The tools that the registry took from the configuration file. */
export interface LoadedConfig {
  outcome: LoadOutcome;
  path: string;
  problems: LoadProblem[];
}

interface LoadPorts {
  catalog: Catalog;
  store: Pick<ToolStore, "list" | "disabledNames">;
  logger: Logger;
}

/** Fills the catalog with the tools of configuration, code and database. Returns the problems of those left out. */
export async function loadCatalog(ports: LoadPorts, change: Change, config: LoadedConfig): Promise<LoadProblem[]> {
  const { catalog, store } = ports;
  const { entries, switchedOff, registry } = catalog;
  const rejected = config.outcome.rejected.map(
    ({ name, error }): LoadProblem => ({ origin: "config", source: config.path, name, error }),
  );
  const fromConfig = new Set(config.outcome.registered);
  for (const definition of registry.list()) {
    const origin = fromConfig.has(definition.name) ? "config" : "code";
    const originPath = origin === "config" ? config.path : null;
    catalog.addRegistered(change, definition, { origin, originPath });
  }
  const damaged = await loadStored(ports, change, await store.list());
  for (const name of await store.disabledNames()) {
    switchedOff.add(name);
    if (entries.has(name)) catalog.switchTool(change, name, false);
  }
  return [...config.problems, ...rejected, ...damaged];
}

/** Adds these tools of the database to the catalog. Returns the problems of those left out. */
async function loadStored(
  { catalog, logger }: LoadPorts,
  change: Change,
  rows: readonly StoredTool[],
): Promise<LoadProblem[]> {
  const problems: LoadProblem[] = [];
  const slice = new TimeSlice();
  for (const row of rows) {
    await slice.pause();
    try {
      catalog.addOwn(change, row.definition, row.lastEdit);
      if (!row.enabled) catalog.switchTool(change, row.name, false);
    } catch (error) {
      const message = getMessage(error);
      logger.error({ tool: row.name, error: message }, `Tool '${row.name}' not loaded: ${message}`);
      const problem = { origin: "console" as const, source: "database", name: row.name, error: message };
      // A row whose name the configuration or code uses is sound.
      problems.push(catalog.entries.has(row.name) ? problem : { ...problem, damaged: "tool" });
    }
  }
  return problems;
}

/**
 * Replaces a tool in its position, as an edit does.
 * @returns false for a definition that cannot be registered: then the tool is gone
 */
function replaceSafely({ catalog }: LoadPorts, change: Change, entry: CatalogEntry, row: StoredTool): boolean {
  try {
    catalog.replaceOwn(change, entry, row.definition, row.lastEdit);
    return true;
  } catch {
    catalog.remove(change, row.name);
    return false;
  }
}

/** Makes the catalog follow the database: tools made in the console, and tools that users switched off. */
export async function reloadCatalog(ports: LoadPorts, change: Change): Promise<LoadProblem[]> {
  const { catalog, store } = ports;
  const { entries, switchedOff } = catalog;
  const rows = await store.list();
  const stored = new Map(rows.map((row) => [row.name, row]));
  for (const [name, entry] of [...entries]) {
    if (entry.origin !== "console") continue;
    const row = stored.get(name);
    if (row === undefined || row.enabled !== entry.enabled) catalog.remove(change, name);
    else if (equalJson(row.definition, entry.definition) && equalDigits(row.definition, entry.definition)) {
      catalog.amend(entry, { lastEdit: row.lastEdit });
      stored.delete(name);
    } else if (replaceSafely(ports, change, entry, row)) stored.delete(name);
  }
  const changed = rows.filter(({ name }) => stored.has(name));
  const problems = await loadStored(ports, change, changed);
  const disabled = new Set(await store.disabledNames());
  for (const name of new Set([...disabled, ...switchedOff])) {
    const isEnabled = !disabled.has(name);
    if (isEnabled) switchedOff.delete(name);
    else switchedOff.add(name);
    const entry = entries.get(name);
    if (entry !== undefined && entry.origin !== "console" && entry.enabled !== isEnabled) {
      catalog.switchTool(change, name, isEnabled);
    }
  }
  return problems;
}
