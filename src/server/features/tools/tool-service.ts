import type { LoadProblem, ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toListed } from "./catalogue-entry";
import { type LoadedConfig, loadCatalogue } from "./load-catalogue";
import { reloadCatalogue } from "./reload-catalogue";
import {
  forgetServerTools,
  type RejectedTool,
  renameServerTools,
  type ServerRename,
  type ServerToolFacts,
  setServerTools,
} from "./server-tools";
import { createToolContext, type ToolServicePorts } from "./tool-context";
import { createToolEdits } from "./tool-edits";
import { createToolReads } from "./tool-reads";
import { createToolSettings } from "./tool-settings";
import { createToolVersions } from "./tool-versions";

export type ToolService = ReturnType<typeof createToolService>;

/** The team's catalogue: the tools of configuration, code, console and servers, and what could not be loaded. */
export function createToolService(ports: ToolServicePorts) {
  const context = createToolContext(ports);
  const { catalogue, approvals, facts, views, runExclusive } = context;
  let problems: LoadProblem[] = [];

  async function followDatabase(): Promise<void> {
    await approvals.load();
    for (const name of await facts.load()) catalogue.refresh(name);
    const damaged = await reloadCatalogue(context);
    problems = [...problems.filter(({ source }) => source !== "database"), ...damaged];
    ports.onChange();
  }

  return {
    ...createToolReads(context),
    ...createToolEdits(context),
    ...createToolSettings(context),
    ...createToolVersions(context),

    /** Fills the catalogue at start. An invalid tool is listed as a problem, not thrown. */
    async load(config: LoadedConfig): Promise<void> {
      await approvals.load();
      await facts.load();
      problems = await loadCatalogue(context, config);
      await context.history.recordLoaded(catalogue.entries.values());
    },

    /** Loads what was changed in the database without this service: names of people. */
    reload: (): Promise<void> => runExclusive(followDatabase),

    /** Runs a write to the database while no one else changes tools; the catalog follows the database afterwards. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      runExclusive(async () => {
        const result = await write();
        await followDatabase();
        return result;
      }),

    lensOf: facts.lensOf,

    list(): { items: ToolSummary[]; problems: LoadProblem[] } {
      const items = Array.from(catalogue.entries.values(), (entry) => toListed(views.summarise(entry)));
      return { items, problems };
    },

    /** Replaces the tools of an MCP server, in their order. Those that cannot be registered are returned with the reason. */
    setServerTools: (
      server: string,
      definitions: readonly ToolDefinition[],
      facts: ServerToolFacts = {},
    ): Promise<RejectedTool[]> => setServerTools(context, server, definitions, facts),

    listedOrder: (server: string): readonly string[] => catalogue.listedOrder.get(server) ?? [],

    /**
     * Removes what was set for a server's tools, for a server that is created or deleted.
     * @param options `keepFacts` for a delete, which can be undone
     */
    forgetServerTools: (server: string, options: { keepFacts: boolean }): Promise<void> =>
      runExclusive(() => forgetServerTools(context, server, options)),

    renameServerTools: (rename: ServerRename): Promise<void> =>
      runExclusive(async () => {
        await forgetServerTools(context, rename.to, { keepFacts: false });
        await renameServerTools(context, rename);
      }),
  };
}
