import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { LoadProblem, ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToRequestBody, ToWireFormat } from "../../engine/agent/chat-ports";
import type { ArgumentValidator, Clock, ExecutionLimits, Handlers, Logger } from "../../engine/ports";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import { type CatalogChange, Catalogue, createCatalogEdits } from "./catalogue";
import { createToolViews, toListed } from "./catalogue-entry";
import { type LoadedConfig, loadCatalogue, reloadCatalogue } from "./load-catalogue";
import { createServerTools } from "./server-tools";
import { createApprovalEdits, createToolApprovals } from "./tool-approvals";
import { createToolEdits } from "./tool-edits";
import { createFactEdits, createToolFacts } from "./tool-facts";
import { createToolReads } from "./tool-reads";
import type { ToolStore } from "./tool-store";
import { createToolHistory, createToolVersions } from "./tool-versions";

export interface ToolServicePorts {
  registry: ToolRegistry;
  validator: ArgumentValidator;
  store: ToolStore;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  hashOf: (definition: ToolDefinition) => string;
  logger: Logger;
  clock: Clock;
  /** Which tools require approval where nothing else decides it; `destructive` when absent. */
  approvalPolicy?: ApprovalPolicy | undefined;
  /** The approval policy of an MCP server; null, or absent, where its tools follow `approvalPolicy`. */
  serverPolicy?: ((server: string) => ApprovalPolicy | null) | undefined;
  /** Whether people have accounts; false when absent. */
  accounts?: boolean | undefined;
  /** A person with an active account; absent while accounts are off. */
  findPerson?: ((id: string) => Promise<Actor | null>) | undefined;
  /** What is wrong with the expression of a lens, null for one that can be used; absent: it is not checked. */
  checkLens?: ((expression: string) => string | null) | undefined;
  wireFormat: ToWireFormat;
  requestBody: ToRequestBody;
  /** Called when tools of the console or of a server were renamed; absent: nothing else names them. */
  onRenamed?: ((renamed: Renames) => Promise<void>) | undefined;
  /** Called after the catalogue changed. */
  onChange: () => void;
}

export type ToolService = ReturnType<typeof createToolService>;

/** Nobody follows the catalog yet. */
const AT_START: CatalogChange = { mark: () => undefined };

/** The team's catalogue: the tools of configuration, code, console and servers, and what could not be loaded. */
export function createToolService({ store, validator, accounts = false, ...ports }: ToolServicePorts) {
  const { handlers, limits, logger, clock, onRenamed, findPerson, checkLens, wireFormat, requestBody } = ports;
  const approvals = createToolApprovals(store, {
    global: ports.approvalPolicy ?? "destructive",
    ofServer: ports.serverPolicy ?? (() => null),
  });
  const facts = createToolFacts(store);
  const catalogue = new Catalogue(ports.registry, facts.applyTo);
  const isKnown = (name: string): boolean => catalogue.entries.has(name);
  const views = createToolViews({ validator, handlers, limits, hashOf: ports.hashOf, approvals, facts, isKnown });
  const history = createToolHistory({ store: store.versions, logger });
  const checkSchema = (schema: JsonSchema): string | null => validator.checkSchema(schema, { compile: true });
  const { edit, editAtOnce } = createCatalogEdits(ports.onChange);
  const edits = createToolEdits({ catalogue, store, approvals, facts, views, edit, checkSchema, onRenamed });
  let problems: LoadProblem[] = [];

  async function followDatabase(change: CatalogChange): Promise<void> {
    change.mark();
    await approvals.load();
    for (const name of await facts.load(change)) catalogue.refresh(change, name);
    const damaged = await reloadCatalogue({ catalogue, store, logger }, change);
    problems = [...problems.filter(({ source }) => source !== "database"), ...damaged];
  }

  return {
    ...createToolReads({
      ...{ catalogue, approvals, views, validator, checkSchema, handlers, limits, wireFormat, requestBody },
    }),
    ...edits.methods,
    ...createApprovalEdits({ catalogue, approvals, views, accounts, edit }),
    ...createFactEdits({
      ...{ catalogue, store, facts, views, edit, replace: edits.replace, checkSchema },
      ...{ findPerson, accounts, checkLens, clock },
    }),
    ...createToolVersions(catalogue, store.versions),
    ...createServerTools({ edit, editAtOnce, catalogue, store, approvals, facts, views, history, onRenamed }),

    /** Fills the catalogue at start. An invalid tool is listed as a problem, not thrown. */
    async load(config: LoadedConfig): Promise<void> {
      await approvals.load();
      await facts.load(AT_START);
      problems = await loadCatalogue({ catalogue, store, logger }, AT_START, config);
      await history.recordLoaded(catalogue.entries.values());
    },

    /** Loads what was changed in the database without this service: names of people. */
    reload: (): Promise<void> => edit(followDatabase),

    /** Runs a write to the database while no one else changes tools; the catalog follows the database afterwards. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        await followDatabase(change);
        return result;
      }),

    lensOf: facts.lensOf,

    list(): { items: ToolSummary[]; problems: LoadProblem[] } {
      const items = Array.from(catalogue.entries.values(), (entry) => toListed(views.summarise(entry)));
      return { items, problems };
    },
  };
}
