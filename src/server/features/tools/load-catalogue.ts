import type { LoadProblem } from "../../../lib/contract/catalogue-tool";
import { equalJson } from "../../../lib/json/equal-json";
import { messageOf } from "../../../lib/message-of";
import type { Logger } from "../../engine/ports";
import type { LoadOutcome } from "../../engine/registry/tool-registry";
import { TimeSlice } from "../../engine/time-slice";
import type { CatalogChange, Catalogue } from "./catalogue";
import type { StoredTool, ToolStore } from "./tool-store";

/** What the registry took from the configuration file. */
export interface LoadedConfig {
  outcome: LoadOutcome;
  path: string;
  problems: LoadProblem[];
}

interface LoadPorts {
  catalogue: Catalogue;
  store: Pick<ToolStore, "list" | "disabledNames">;
  logger: Logger;
}

/** Fills the catalogue with the tools of configuration, code and database. Returns the problems of those left out. */
export async function loadCatalogue(
  ports: LoadPorts,
  change: CatalogChange,
  config: LoadedConfig,
): Promise<LoadProblem[]> {
  const { catalogue, store } = ports;
  const { entries, switchedOff, registry } = catalogue;
  const rejected = config.outcome.rejected.map(
    ({ name, error }): LoadProblem => ({ origin: "config", source: config.path, name, error }),
  );
  const fromConfig = new Set(config.outcome.registered);
  for (const definition of registry.list()) {
    const origin = fromConfig.has(definition.name) ? "config" : "code";
    const originPath = origin === "config" ? config.path : null;
    catalogue.addRegistered(change, definition, { origin, originPath });
  }
  const damaged = await loadStored(ports, change, await store.list());
  for (const name of await store.disabledNames()) {
    switchedOff.add(name);
    if (entries.has(name)) catalogue.switchTool(change, name, false);
  }
  return [...config.problems, ...rejected, ...damaged];
}

/** Adds these tools of the database to the catalogue. Returns the problems of those left out. */
async function loadStored(
  { catalogue, logger }: LoadPorts,
  change: CatalogChange,
  rows: readonly StoredTool[],
): Promise<LoadProblem[]> {
  const problems: LoadProblem[] = [];
  const slice = new TimeSlice();
  for (const row of rows) {
    await slice.pause();
    try {
      catalogue.addOwn(change, row.definition, row.lastEdit);
      if (!row.enabled) catalogue.switchTool(change, row.name, false);
    } catch (error) {
      const message = messageOf(error);
      logger.error({ tool: row.name, error: message }, `Tool '${row.name}' not loaded: ${message}`);
      const problem = { origin: "console" as const, source: "database", name: row.name, error: message };
      // A row whose name the configuration or code uses is sound.
      problems.push(catalogue.entries.has(row.name) ? problem : { ...problem, damaged: "tool" });
    }
  }
  return problems;
}

/** Makes the catalogue follow the database: tools made in the console, and what people switched off. */
export async function reloadCatalogue(ports: LoadPorts, change: CatalogChange): Promise<LoadProblem[]> {
  const { catalogue, store } = ports;
  const { entries, switchedOff } = catalogue;
  const rows = await store.list();
  const stored = new Map(rows.map((row) => [row.name, row]));
  for (const [name, entry] of [...entries]) {
    if (entry.origin !== "console") continue;
    const row = stored.get(name);
    if (row !== undefined && row.enabled === entry.enabled && equalJson(row.definition, entry.definition)) {
      entry.lastEdit = row.lastEdit;
      stored.delete(name);
    } else catalogue.remove(change, name);
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
      catalogue.switchTool(change, name, isEnabled);
    }
  }
  return problems;
}
