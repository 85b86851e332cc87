import type { Actor } from "../../lib/contract/actor";
import { aliasesByName } from "../../lib/portable-name";
import { createEngineParts, type EngineParts, systemClock } from "../create-tool-engine";
import type { KnownServers } from "../features/servers/known-servers";
import { createToolStore } from "../features/tools/db/tool-store";
import { createToolService } from "../features/tools/tool-service";
import { createToolsetStore } from "../features/toolsets/db/toolset-store";
import { createToolsetService, type ToolsetService } from "../features/toolsets/toolset-service";
import { requestBody, wireFormat } from "../models/wire-format";
import { hashDefinition } from "../platform/db/definition-hash";
import { createEvent, type Event } from "../platform/shared/event";
import { createToolFinder } from "../platform/workers/tool-finder";
import type { Foundation } from "./foundation";

/** The engine without its executor, and the toolsets. Clients see toolsets as lists of tools: `catalogChanged` is of both. */
export function createCatalog({ env, db, logger, live, config }: Foundation) {
  const engine = createEngineParts({
    ...{ home: env.home, logger, limits: config.limits },
    ...{ builtins: config.builtins, internals: config.internals },
  });
  const catalogChanged = createEvent();
  const { registry, validator, limits, lenses } = engine;
  const toolsets = createToolsetService({
    store: createToolsetStore({ db, clock: systemClock }),
    definitions: () => registry.list(),
    aliasNames: aliasesByName,
    createFinder: createToolFinder,
    ...{ wireFormat, validator, limits, checkLens: lenses.check },
    onChange() {
      live.publish({ type: "toolsets" });
      void catalogChanged.emit();
    },
  });
  catalogChanged.on(toolsets.invalidate);
  return { engine, toolsets, catalogChanged };
}

interface ToolParts {
  engine: EngineParts;
  toolsets: ToolsetService;
  catalogChanged: Event;
  known: KnownServers;
  accounts: {
    on: boolean;
    findActive: (id: string) => Promise<Actor | null>;
    /** Names of people changed in the database. */
    namesChanged: Event;
  };
}

/** The tools of configuration, code, console and servers. */
export function createTools(foundation: Foundation, { engine, toolsets, catalogChanged, known, accounts }: ToolParts) {
  const { db, logger, live, config } = foundation;
  const { registry, validator, limits, lenses, handlers } = engine;
  const store = createToolStore({ db });
  const tools = createToolService({
    ...{ registry, validator, limits, handlers, store, wireFormat, requestBody, logger, clock: systemClock },
    createFinder: createToolFinder,
    checkLens: lenses.check,
    hashDefinition: hashDefinition,
    accounts: accounts.on,
    findPerson: accounts.findActive,
    approvalPolicy: config.approvals.policy,
    serverPolicy: known.approvalPolicy,
    onRenamed: toolsets.rename,
    onChange: () => {
      live.publish({ type: "tools" });
      void catalogChanged.emit();
    },
  });
  accounts.namesChanged.on(tools.reload);
  return {
    tools,
    versions: store.versions,
    async load(): Promise<void> {
      await toolsets.load();
      await tools.load({
        outcome: registry.loadConfig(config.content),
        ...{ path: config.path, problems: config.problems },
      });
    },
  };
}
