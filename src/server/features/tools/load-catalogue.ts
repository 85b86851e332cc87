import type { LoadProblem } from "../../../lib/contract/catalogue-tool";
import { messageOf } from "../../../lib/message-of";
import type { LoadOutcome } from "../../engine/registry/tool-registry";
import { TimeSlice } from "../../engine/time-slice";
import type { ToolContext } from "./tool-context";
import type { StoredTool } from "./tool-store";

/** What the registry took from the configuration file. */
export interface LoadedConfig {
  outcome: LoadOutcome;
  path: string;
  problems: LoadProblem[];
}

/** Fills the catalogue with the tools of configuration, code and database. Returns the problems of those left out. */
export async function loadCatalogue(context: ToolContext, config: LoadedConfig): Promise<LoadProblem[]> {
  const { catalogue, registry, store } = context;
  const { entries, switchedOff } = catalogue;
  const rejected = config.outcome.rejected.map(
    ({ name, error }): LoadProblem => ({ origin: "config", source: config.path, name, error }),
  );
  const fromConfig = new Set(config.outcome.registered);
  for (const definition of registry.list()) {
    const origin = fromConfig.has(definition.name) ? "config" : "code";
    const originPath = origin === "config" ? config.path : null;
    entries.set(definition.name, { definition, origin, originPath, enabled: true, updatedAt: null });
    catalogue.refresh(definition.name);
  }
  const damaged = await loadStored(context, await store.list());
  for (const name of await store.disabledNames()) {
    switchedOff.add(name);
    if (entries.has(name)) catalogue.switchTool(name, false);
  }
  return [...config.problems, ...rejected, ...damaged];
}

/** Adds these tools of the database to the catalogue. Returns the problems of those left out. */
export async function loadStored(
  { catalogue, logger }: ToolContext,
  rows: readonly StoredTool[],
): Promise<LoadProblem[]> {
  const problems: LoadProblem[] = [];
  const slice = new TimeSlice();
  for (const row of rows) {
    await slice.pause();
    try {
      catalogue.addOwn(row.definition, row.lastEdit);
      if (!row.enabled) catalogue.switchTool(row.name, false);
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
