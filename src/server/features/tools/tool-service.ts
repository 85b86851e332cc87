import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { LoadProblem, ToolSummary } from "../../../lib/contract/catalog-tool";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToRequestBody, ToWireFormat } from "../../engine/agent/chat-ports";
import type { ArgumentValidator, Clock, CreateToolFinder, ExecutionLimits, Handlers, Logger } from "../../engine/ports";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import { AT_START, type Change, type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { Catalog } from "./catalog";
import { createToolViews } from "./catalog-entry";
import { createListedSummaries } from "./listed-summaries";
import { type LoadedConfig, loadCatalog, reloadCatalog } from "./load-catalog";
import { createServerPrefixes } from "./server-prefixes";
import { createServerTools } from "./server-tools";
import { createApprovalEdits, createToolApprovals } from "./tool-approvals";
import { createToolEdits } from "./tool-edits";
import { createFactEdits, createKnownFacts } from "./tool-facts";
import { createToolReads } from "./tool-reads";
import type { ToolStore } from "./tool-store";
import { createToolHistory, createToolVersions } from "./tool-versions";

export interface ToolServicePorts {
  registry: ToolRegistry;
  validator: ArgumentValidator;
  store: ToolStore;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  hashDefinition: (definition: ToolDefinition) => string;
  logger: Logger;
  clock: Clock;
  /** The tools that require approval where nothing else decides it; `destructive` when absent. */
  approvalPolicy?: ApprovalPolicy | undefined;
  /** The approval policy of an MCP server; null, or absent, where its tools follow `approvalPolicy`. */
  serverPolicy?: ((server: string) => ApprovalPolicy | null) | undefined;
  /** The names of all servers, whose tools begin with them; absent: there are none. */
  listServers?: (() => Iterable<string>) | undefined;
  /** Whether users have accounts; false when absent. */
  accounts?: boolean | undefined;
  /** A user with an active account; absent while accounts are off. */
  findUser?: ((id: string) => Promise<Actor | null>) | undefined;
  /** Returns the problem of a lens's expression, null for a usable one; absent: it is not checked. */
  checkLens?: ((expression: string) => string | null) | undefined;
  createFinder: CreateToolFinder;
  wireFormat: ToWireFormat;
  requestBody: ToRequestBody;
  /** Called when tools of the console or of a server were renamed; absent: nothing else names them. */
  onRenamed?: ((renamed: Renames) => Promise<void>) | undefined;
  /** Called after the catalog changed. */
  onChange: (origin: ChangeOrigin) => void;
}

export type ToolService = ReturnType<typeof createToolService>;

/** The team's catalog: the tools of configuration, code, console and servers, and what could not be loaded. */
export function createToolService({ store, validator, accounts = false, ...ports }: ToolServicePorts) {
  const { handlers, limits, logger, clock, onRenamed, findUser, checkLens, wireFormat, requestBody } = ports;
  const approvals = createToolApprovals(store, {
    global: ports.approvalPolicy ?? "destructive",
    ofServer: ports.serverPolicy ?? (() => null),
  });
  const facts = createKnownFacts({ store, approvals, isKnown: (name) => catalog.entries.has(name) });
  const catalog = new Catalog(ports.registry, facts.applyTo, ports.createFinder);
  const views = createToolViews({ validator, handlers, limits, hashDefinition: ports.hashDefinition, facts });
  const history = createToolHistory({ store: store.versions, logger });
  const checkSchema = (schema: JsonSchema): string | null => validator.checkSchema(schema, { compile: true });
  const { edit, editAtOnce, follow } = createEdits(ports.onChange);
  const prefixes = createServerPrefixes(catalog, ports.listServers ?? (() => []));
  const edits = createToolEdits({ catalog, prefixes, store, approvals, facts, views, edit, checkSchema, onRenamed });
  let problems: LoadProblem[] = [];

  async function followDatabase(change: Change): Promise<void> {
    await approvals.load(change);
    for (const name of await facts.load(change)) catalog.refresh(change, name);
    const damaged = await reloadCatalog({ catalog, store, logger }, change);
    problems = [...problems.filter(({ source }) => source !== "database"), ...damaged];
  }

  const summaries = createListedSummaries({ catalog, views, approvals, facts });

  return {
    ...createToolReads({
      catalog,
      prefixes,
      approvals,
      views,
      validator,
      hashDefinition: ports.hashDefinition,
      checkSchema,
      handlers,
      limits,
      wireFormat,
      requestBody,
    }),
    ...edits.methods,
    ...createApprovalEdits({ catalog, approvals, views, accounts, edit }),
    ...createFactEdits({
      catalog,
      store,
      facts,
      views,
      edit,
      replace: edits.replace,
      checkSchema,
      findUser,
      accounts,
      checkLens,
      clock,
    }),
    ...createToolVersions(catalog, store.versions),
    ...createServerTools({ edit, editAtOnce, catalog, store, approvals, facts, views, history, onRenamed }),

    /** Fills the catalog at start. An invalid tool is listed as a problem, not thrown. */
    async load(config: LoadedConfig): Promise<void> {
      await approvals.load(AT_START);
      await facts.load(AT_START);
      problems = await loadCatalog({ catalog, store, logger }, AT_START, config);
      await history.recordLoaded(catalog.entries.values());
    },

    /** Loads changes that were made in the database without this service: names of users. */
    reload: (): Promise<void> =>
      edit((change) => {
        change.mark();
        return followDatabase(change);
      }),

    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(followDatabase),

    /** Runs a write to the database while no one else changes tools; the catalog follows the database afterwards. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        change.mark();
        await followDatabase(change);
        return result;
      }),

    getLens: facts.getLens,

    count: (): number => catalog.entries.size,

    /** The part that could not be loaded. */
    listProblems: (): readonly LoadProblem[] => [...problems, ...prefixes.listConflicts()],

    /** All tools as lists have them, without a look at what could not be loaded. */
    summaries,

    /** The part of it that needs no look at definitions: the first page of a start reads it. */
    edits: (): Pick<ToolSummary, "name" | "enabled" | "lastEdit">[] =>
      Array.from(catalog.entries.values(), ({ definition: { name }, enabled, lastEdit }) => ({
        name,
        enabled,
        lastEdit,
      })),

    list: (): { items: readonly ToolSummary[]; problems: LoadProblem[] } => ({
      items: summaries(),
      problems: [...problems, ...prefixes.listConflicts()],
    }),
  };
}
