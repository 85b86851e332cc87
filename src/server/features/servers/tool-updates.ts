import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import type { ListedTool } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { createKeyedMutex } from "../../platform/shared/mutex";
import { withinMs } from "../../platform/shared/within-ms";
import { gateTools, listWaiting, toApplied, toPins } from "./change-gate";
import { restoreMaskedEntries } from "./restore-masked-entries";
import { type KnownServer, type Register, type RegisteredFacts, registerTools, updateTools } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { ServerKnowledge, ServerStore } from "./server-store";

/** The longest wait of the start for stored tools. */
const START_MS = 2000;

export interface ToolUpdatesPorts {
  store: Pick<ServerStore, "keepTools" | "listedTools" | "pins" | "applied">;
  setServerTools: (
    server: string,
    definitions: readonly ToolDefinition[],
    facts?: RegisteredFacts & { isRestored?: boolean },
  ) => Promise<{ name: string; error: string }[]>;
  /** The limit of one result of a server's tool. */
  maxStoredBytes: number;
  clock: Clock;
  logger: Logger;
  find: (name: string) => KnownServer | undefined;
  publishChange: (name: string) => void;
  /** See `ServerServicePorts`. */
  reports?: ServerServicePorts["reports"];
  /** See `ServerServicePorts`. */
  shareChange: (name: string, onShared?: () => void) => void;
}

export type ToolUpdates = ReturnType<typeof createToolUpdates>;

/**
 * Adds servers' tools to the catalog. Long lists are processed in slices with other work in between; the updates of one
 * server run in order.
 */
export function createToolUpdates(ports: ToolUpdatesPorts) {
  const inOrder = createKeyedMutex();

  /** @param isRestored the list is one that was stored */
  const toRegister = (name: string, isRestored = false): Register => ({
    maxStoredBytes: ports.maxStoredBytes,
    setTools: (definitions, facts) => ports.setServerTools(name, definitions, { ...facts, isRestored }),
    gate: ({ settings, listed, gate }, before) =>
      gateTools(
        { name: settings.name, policy: settings.changedTools ?? "off", state: gate, listed, before },
        toGatePorts(ports, showApplied),
      ),
  });

  function showApplied(name: string): void {
    const server = ports.find(name);
    if (server === undefined) return;
    void inOrder(name, () => registerAgain(server)).then(() => {
      ports.shareChange(name);
      announceList(ports, server);
    });
  }

  async function keep({ listed, changes, settings }: KnownServer, listedAt: number): Promise<void> {
    try {
      await ports.store.keepTools(settings.name, { tools: listed, listedAt, changes });
    } catch (error) {
      const fields = { server: settings.name, error: getMessage(error) };
      ports.logger.error(fields, "The server's tools could not be stored");
    }
  }

  /** Restores a server's stored tools and changes. Never rejects. */
  function recall(server: KnownServer, knowledge: ServerKnowledge | undefined): Promise<void> {
    const { name } = server.settings;
    return inOrder(name, async () => {
      if (knowledge?.listedAt == null) return;
      server.changes = knowledge.changes;
      try {
        await readGate(server);
        const stored = await ports.store.listedTools(name);
        await updateTools(server, stored, knowledge.listedAt, toRegister(name, true));
        announceList(ports, server);
      } catch (error) {
        ports.logger.error({ server: name, error: getMessage(error) }, "The server's stored tools could not be read");
      }
    });
  }

  /** Reads the decisions on the server's changes. */
  async function readGate({ settings: { name }, gate }: KnownServer): Promise<void> {
    gate.pins = toPins(await ports.store.pins.list(name));
    gate.applied = toApplied(await ports.store.applied.list(name));
  }

  const registerAgain = (server: KnownServer): Promise<void> =>
    registerTools(server, toRegister(server.settings.name), server.listedAt === null ? null : server.listed);

  return {
    inOrder,

    /** Reads the known tools again with the current settings. */
    register: (server: KnownServer): Promise<void> => inOrder(server.settings.name, () => registerAgain(server)),

    /** Applies decisions on changed tools. @param decide stores them, in order with the lists that arrive */
    review: ({ settings: { name } }: KnownServer, decide: (server: KnownServer) => Promise<void>): Promise<void> =>
      inOrder(name, async () => {
        const server = ports.find(name);
        if (!server) return;
        await decide(server);
        await readGate(server);
        await registerAgain(server);
        ports.shareChange(name, () => ports.publishChange(name));
        checkWaiting(ports, server);
      }),

    /** Applies a list and decisions that another instance of the server stored. */
    follow: (server: KnownServer, knowledge: ServerKnowledge | undefined): Promise<void> => {
      const { name } = server.settings;
      return inOrder(name, async () => {
        await readGate(server);
        if (knowledge?.listedAt == null || knowledge.listedAt === server.listedAt) await registerAgain(server);
        else {
          await updateTools(server, await ports.store.listedTools(name), knowledge.listedAt, toRegister(name));
          server.changes = knowledge.changes;
        }
        ports.publishChange(name);
      });
    },

    /** Applies a list that a server returned. */
    take: (name: string, listed: readonly ListedTool[]): Promise<void> =>
      inOrder(name, async () => {
        const server = ports.find(name);
        if (!server) return;
        const at = ports.clock.now();
        const isRestored = await restoreMasks(server, listed, ports);
        const differs = await updateTools(server, listed, at, toRegister(name));
        announceList(ports, server);
        if (differs || isRestored) await keep(server, at).then(() => ports.shareChange(name));
      }),

    recall,

    /**
     * Restores several servers. Resolves after 2 s at the latest; the remaining tools reach the catalog afterwards.
     */
    async recallAll(servers: readonly KnownServer[], knowledge: ReadonlyMap<string, ServerKnowledge>): Promise<void> {
      const recalled = servers.map((server) => recall(server, knowledge.get(server.settings.name)));
      await withinMs(Promise.all(recalled), START_MS);
    },

    clear: (name: string): Promise<unknown> => inOrder(name, () => ports.setServerTools(name, [])),

    /** Resolves when everything listed so far is in the catalog. */
    registered: (name: string): Promise<void> => inOrder(name, async () => undefined),
  };
}

/** @returns whether the stored list had masks */
async function restoreMasks(
  server: KnownServer,
  received: readonly ListedTool[],
  { store, logger }: Pick<ToolUpdatesPorts, "store" | "logger">,
): Promise<boolean> {
  const changes = await restoreMaskedEntries(server, received);
  if (changes !== null && changes.length > 0) {
    const { name } = server.settings;
    await store.pins.change(name, changes).catch((error: unknown) => {
      logger.error(
        { server: name, error: getMessage(error) },
        "The approvals of the server's tools could not be stored",
      );
    });
  }
  return changes !== null;
}

function toGatePorts({ store, clock, logger, reports }: ToolUpdatesPorts, onApplied: (server: string) => void) {
  return { store: store.pins, applied: store.applied, clock, logger, isQuestioned: reports?.isQuestioned, onApplied };
}

/** Pages show the list, and recorded calls are checked by what waits of it. */
function announceList(ports: Pick<ToolUpdatesPorts, "reports" | "publishChange">, server: KnownServer): void {
  ports.publishChange(server.settings.name);
  checkWaiting(ports, server);
}

function checkWaiting({ reports }: Pick<ToolUpdatesPorts, "reports">, { settings, gate, listed }: KnownServer): void {
  reports?.follow(settings.name, listWaiting(gate, listed));
}
