import type { Actor } from "../../lib/contract/actor";
import type { ToolLens } from "../../lib/contract/lens-schema";
import { aliasesByName } from "../../lib/portable-name";
import { createEngineParts, type EngineParts, systemClock } from "../create-tool-engine";
import type { KnownServers } from "../features/servers/known-servers";
import { createToolStore } from "../features/tools/db/tool-store";
import { createToolService } from "../features/tools/tool-service";
import { createToolsetStore } from "../features/toolsets/db/toolset-store";
import { createToolsetService, type ToolsetService } from "../features/toolsets/toolset-service";
import { listToolset } from "../mcp/gateway/catalog/list-toolset";
import { requestBody, wireFormat } from "../models/wire-format";
import { BoundedRedactor } from "../platform/conditions/result-redactor";
import { createTopic } from "../platform/coordination/bulletin";
import { hashDefinition } from "../platform/db/definition-hash";
import type { ChangeOrigin } from "../platform/shared/announced-edits";
import { createEvent, type Event } from "../platform/shared/event";
import { createToolFinder } from "../platform/workers/tool-finder";
import type { Foundation } from "./foundation";

export type CatalogEvents = ReturnType<typeof createCatalogEvents>;

const SHOWN = createTopic<null>("catalog.shown");

/** Clients see toolsets as lists of tools: the events are of both. */
function createCatalogEvents({ shared, live, coordination: { bulletin } }: Foundation) {
  /** At once, for what follows the catalog of this instance. */
  const changed = createEvent();
  /** When every instance has it, for clients, which read it from any. */
  const shown = createEvent();
  bulletin.on(SHOWN, () => shown.emit());
  return {
    changed,
    shown,
    announce(area: "tools" | "toolsets", origin: ChangeOrigin): void {
      void changed.emit();
      // The instance that stored it notifies pages and clients, once all instances have it.
      if (origin === "followed") return;
      const onShared = (): void => {
        live.publish({ type: area });
        void shown.emit();
        bulletin.post(SHOWN, null);
      };
      if (origin === "stored") void shared.changed(area, { onShared });
      else onShared();
    },
  };
}

/** The engine without its executor, with what only rules of a server need: an embedded engine has none. */
export interface ServerParts extends EngineParts {
  redactor: BoundedRedactor;
}

function createServerParts({ env, config, logger }: Foundation): ServerParts {
  const parts = createEngineParts({
    home: env.home,
    logger,
    limits: config.limits,
    builtins: config.builtins,
    internals: config.internals,
  });
  const redactor = new BoundedRedactor({ home: env.home });
  return {
    ...parts,
    redactor,
    close: async () => {
      await Promise.all([parts.close(), redactor.close()]);
    },
  };
}

/** The engine without its executor, and the toolsets. */
export function createCatalog(foundation: Foundation) {
  const { db, shared } = foundation;
  const engine = createServerParts(foundation);
  const catalogEvents = createCatalogEvents(foundation);
  const { registry, validator, limits, lenses } = engine;
  /** Comes from the tools, which are created later. */
  const toolLenses: ToolLenses = { find: () => null };
  const toolsetNamed = createEvent<[from: string, to: string | null]>();
  const toolsets = createToolsetService({
    store: createToolsetStore({ db, clock: systemClock }),
    definitions: () => registry.list(),
    aliasNames: aliasesByName,
    createFinder: createToolFinder,
    wireFormat,
    validator,
    limits,
    checkLens: lenses.check,
    listServed: (prepared) =>
      listToolset(prepared, { tools: () => registry.list(), getLens: (name) => toolLenses.find(name) }),
    onChange: (origin) => catalogEvents.announce("toolsets", origin),
    onNamed: toolsetNamed.emit,
  });
  catalogEvents.changed.on(toolsets.invalidate);
  shared.follow("toolsets", toolsets.follow);
  return { engine, toolsets, toolsetNamed, catalogEvents, toolLenses };
}

interface ToolLenses {
  find(name: string): ToolLens | null;
}

interface ToolParts {
  engine: EngineParts;
  toolsets: ToolsetService;
  catalogEvents: CatalogEvents;
  toolLenses: ToolLenses;
  known: KnownServers;
  accounts: {
    on: boolean;
    findActive: (id: string) => Promise<Actor | null>;
    /** Emitted when names of users changed in the database. */
    namesChanged: Event;
  };
}

/** The tools of configuration, code, console and servers. */
export function createTools(foundation: Foundation, parts: ToolParts) {
  const { engine, toolsets, catalogEvents, toolLenses, known, accounts } = parts;
  const { db, logger, shared, config } = foundation;
  const { registry, validator, limits, lenses, handlers } = engine;
  const store = createToolStore({ db });
  const tools = createToolService({
    registry,
    validator,
    limits,
    handlers,
    store,
    wireFormat,
    requestBody,
    logger,
    clock: systemClock,
    createFinder: createToolFinder,
    checkLens: lenses.check,
    hashDefinition: hashDefinition,
    accounts: accounts.on,
    findUser: accounts.findActive,
    approvalPolicy: config.approvals.policy,
    serverPolicy: known.approvalPolicy,
    listServers: () => known.servers.keys(),
    onRenamed: toolsets.rename,
    onChange: (origin) => catalogEvents.announce("tools", origin),
  });
  toolLenses.find = tools.getLens;
  accounts.namesChanged.on(tools.reload);
  shared.follow("tools", tools.follow);
  return {
    tools,
    versions: store.versions,
    async load(): Promise<void> {
      await toolsets.load();
      await tools.load({
        outcome: registry.loadConfig(config.content),
        path: config.path,
        problems: config.problems,
      });
    },
  };
}
