import type {
  ClientConfiguration,
  LiveEvent,
  LoadProblem,
  ProtocolMessage,
  ServerDetail,
  ServerImport,
  ServerLogLine,
  ServerSettings,
  ServerSummary,
  ToolDefinition,
} from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import type { ListedTool, McpConnectionEvents, McpConnections } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { createTurns } from "../../in-turn";
import { nameTaken, takeName } from "../../taken-names";
import { clientConfigurations } from "./client-configurations";
import { explainMissing } from "./explain-missing";
import { type ConfiguredServers, isSwitchedOff, loadServers, serverOfRow } from "./load-servers";
import { parseMcpJson } from "./parse-mcp-json";
import { type KnownServer, type Register, registerTools, takeTools, toDetail, toSummary } from "./server-directory";
import { createServerRequests } from "./server-requests";
import { keepableSecrets, type ServerSecrets, separateSecrets } from "./server-secrets";
import { readSettings, type SettingsProblem, toConnectionSettings, unsetVariables } from "./server-settings";
import type { ServerKnowledge, ServerStore } from "./server-store";
import { prefixOf } from "./server-tools";
import { invalid, noStoredValue, sentence } from "./settings-errors";

export interface ServerServicePorts {
  connections: McpConnections;
  store: ServerStore;
  /** A tool of the catalogue that a person switched off. */
  isSwitchedOff: (toolName: string) => boolean;
  /** Takes away what people chose for the approval of a server's tools; `keepAlways` leaves what makes them ask. */
  forgetServerTools: (server: string, options: { keepAlways: boolean }) => Promise<void>;
  /** Lets what a person switched off of a server stay so under the server's new name. */
  renameServerTools: (from: string, to: string) => Promise<void>;
  /** The catalogue: takes a server's tools, gives back those that it refused. */
  setServerTools: (server: string, definitions: readonly ToolDefinition[]) => { name: string; error: string }[];
  configured: ConfiguredServers;
  /** Of a result of a server's tool. */
  maxStoredBytes: number;
  /** What `${VAR}` stands for here. */
  variables: Readonly<Record<string, string | undefined>>;
  rootDir: string;
  clock: Clock;
  logger: Logger;
  publish: (event: LiveEvent) => void;
}

export type ServerService = ReturnType<typeof createServerService>;

/** The MCP servers of console and configuration: their settings, connections and tools. */
export function createServerService(ports: ServerServicePorts) {
  const { connections, store, clock } = ports;
  const servers = new Map<string, KnownServer>();
  const problems: LoadProblem[] = [];

  const find = (name: string): KnownServer => {
    const server = servers.get(name);
    if (!server) throw new AppError("NOT_FOUND", `Server '${name}' not found`);
    return server;
  };
  const findEditable = (name: string): KnownServer & { id: string } => {
    const server = find(name);
    if (server.id === null) {
      throw new AppError("READ_ONLY", `Server '${name}' comes from ${server.originPath}: change it there`);
    }
    return server as KnownServer & { id: string };
  };
  const changed = (name: string): void => ports.publish({ type: "servers", server: name });
  const register = (name: string): Register => ({
    maxStoredBytes: ports.maxStoredBytes,
    put: (definitions) => ports.setServerTools(name, definitions),
  });

  /** Lets tools and connection follow the settings. */
  function follow(server: KnownServer): void {
    const { name } = server.settings;
    registerTools(server, register(name));
    const enabled = server.enabled && server.fault === null;
    connections.apply(toConnectionSettings(server.settings, server.secrets, enabled));
    changed(name);
  }

  /** Gives back what was known of a server before this process. */
  function recall(server: KnownServer, knowledge: ServerKnowledge | undefined): void {
    if (knowledge?.listedAt == null) return;
    server.changes = knowledge.changes;
    takeTools(server, knowledge.tools, knowledge.listedAt, register(server.settings.name));
  }

  async function keepTools(server: KnownServer, listedAt: number): Promise<void> {
    const { listed, changes, settings } = server;
    try {
      await store.keepTools(settings.name, { tools: listed, listedAt, changes });
    } catch (error) {
      const reason = messageOf(error);
      ports.logger.error({ server: settings.name, error: reason }, "The server's tools could not be stored");
    }
  }

  const inTurn = createTurns();

  /** @throws AppError that lists every problem with its field */
  function accept(candidate: unknown, stored: ServerSecrets): { settings: ServerSettings; secrets: ServerSecrets } {
    const read = readSettings(candidate);
    if (read.settings === null) throw invalid(read.problems);
    const { settings, secrets, missing } = separateSecrets(read.settings, stored);
    if (missing.length > 0) throw invalid(missing.map(noStoredValue));
    return { settings, secrets };
  }

  async function create(candidate: unknown): Promise<KnownServer> {
    const { settings, secrets } = accept(candidate, {});
    if (servers.has(settings.name)) throw nameTaken(settings.name, "server");
    const row = await takeName(settings.name, "server", () => store.create({ settings, secrets }));
    // What an earlier server of this name listed, who was signed in there and what may run unasked is not this one's.
    await store.forget(settings.name);
    await ports.forgetServerTools(settings.name, { keepAlways: false });
    const server = serverOfRow(row);
    servers.set(row.name, server);
    follow(server);
    return server;
  }

  return {
    /** What the connections tell; give it to them. */
    events: {
      onState: (name, _state) => changed(name),
      onTools(name, listed: readonly ListedTool[]) {
        const server = servers.get(name);
        if (!server) return;
        const at = clock.now();
        const differs = takeTools(server, listed, at, register(name));
        if (differs) void keepTools(server, at);
        changed(name);
      },
      onLog: (name, line) => ports.publish({ type: "server_log", server: name, line }),
    } satisfies McpConnectionEvents,

    /** Reads what is known and lets everything connect; a server that cannot be used becomes a problem. */
    async load(): Promise<void> {
      const loaded = await loadServers(store, ports.configured);
      for (const problem of loaded.problems) {
        const { name, error } = problem;
        ports.logger.error({ server: name, error }, `MCP server '${name}' not loaded: ${error}`);
        problems.push(problem);
      }
      for (const server of loaded.servers) {
        servers.set(server.settings.name, server);
        recall(server, loaded.knowledge.get(server.settings.name));
        follow(server);
      }
    },

    list: (): { items: ServerSummary[]; problems: LoadProblem[] } => ({
      items: Array.from(servers.values(), (server) => toSummary(server, connections)),
      problems,
    }),
    get: (name: string): ServerDetail => toDetail(find(name), connections),
    /** Those that are switched on. */
    names: (): string[] =>
      Array.from(servers.values())
        .filter(({ enabled }) => enabled)
        .map(({ settings }) => settings.name),

    /** Everything wrong with settings while they are being written. */
    checkSettings(candidate: unknown, editing: string | undefined): { problems: SettingsProblem[]; notes: string[] } {
      const read = readSettings(candidate);
      const name = (candidate as { name?: unknown } | null)?.name;
      const taken = typeof name === "string" && name !== editing && servers.has(name);
      const found: SettingsProblem[] = [...read.problems];
      if (taken) found.push({ field: "name", message: `'${name}' is already taken by another server` });
      if (read.settings !== null) {
        const before = editing === undefined ? undefined : servers.get(editing);
        const stored = before === undefined ? {} : keepableSecrets(before, candidate);
        found.push(...separateSecrets(read.settings, stored).missing.map(noStoredValue));
      }
      const notes = read.settings === null ? [] : unsetVariables(read.settings, ports.variables);
      return { problems: found, notes };
    },

    parseImport(text: string): ServerImport {
      const found = parseMcpJson(text);
      return {
        ...found,
        servers: found.servers.map((entry) => {
          const more = entry.settings === null ? [] : readSettings(entry.settings).problems;
          const taken = servers.has(entry.name) ? [`name: '${entry.name}' is already taken by another server`] : [];
          return { ...entry, problems: [...entry.problems, ...more.map(sentence), ...taken] };
        }),
      };
    },

    create: (candidate: unknown): Promise<ServerDetail> =>
      inTurn(async () => toDetail(await create(candidate), connections)),

    /** Each by itself: one that is refused does not keep the others out. */
    import: (
      candidates: readonly unknown[],
    ): Promise<{ created: string[]; rejected: { name: string; error: string }[] }> =>
      inTurn(async () => {
        const created: string[] = [];
        const rejected: { name: string; error: string }[] = [];
        for (const candidate of candidates) {
          try {
            created.push((await create(candidate)).settings.name);
          } catch (error) {
            const name = String((candidate as { name?: unknown } | null)?.name ?? "");
            rejected.push({ name, error: messageOf(error) });
          }
        }
        return { created, rejected };
      }),

    update: (name: string, candidate: unknown): Promise<ServerDetail> =>
      inTurn(async () => {
        const before = findEditable(name);
        const { settings, secrets } = accept(candidate, keepableSecrets(before, candidate));
        const renamed = settings.name !== name;
        if (renamed && servers.has(settings.name)) throw nameTaken(settings.name, "server");
        const row = await takeName(settings.name, "server", () => store.update(before.id, { settings, secrets }));
        if (renamed) {
          await store.rename(name, settings.name);
          await ports.renameServerTools(name, settings.name);
          servers.delete(name);
          ports.setServerTools(name, []);
          void connections.remove(name);
          changed(name);
        }
        const { listed, fingerprint, listedAt, changes } = before;
        const server: KnownServer = { ...serverOfRow(row), listed, fingerprint, listedAt, changes };
        servers.set(settings.name, server);
        follow(server);
        return toDetail(server, connections);
      }),

    async delete(name: string): Promise<{ id: string }> {
      const { id, gone } = await inTurn(async () => {
        const { id } = findEditable(name);
        await store.delete(id);
        servers.delete(name);
        ports.setServerTools(name, []);
        await ports.forgetServerTools(name, { keepAlways: true });
        changed(name);
        // Its processes may take their time: other changes need not wait for that.
        return { id, gone: connections.remove(name) };
      });
      await gone;
      return { id };
    },

    /** Undoes a delete. @throws AppError when the name has been given to another server since */
    restore: (id: string): Promise<ServerDetail> =>
      inTurn(async () => {
        const row = await takeName("of the deleted server", "server", () => store.restore(id));
        if (row === null) throw new AppError("NOT_FOUND", "There is no deleted server with this id to bring back");
        if (servers.has(row.name)) {
          await store.delete(row.id);
          throw nameTaken(row.name, "server");
        }
        const server = serverOfRow(row);
        const knowledge = await store.knowledge();
        recall(
          server,
          knowledge.find(({ name }) => name === row.name),
        );
        servers.set(row.name, server);
        follow(server);
        return toDetail(server, connections);
      }),

    setEnabled: (name: string, enabled: boolean): Promise<ServerSummary> =>
      inTurn(async () => {
        const server = find(name);
        if (enabled && server.id === null && isSwitchedOff(ports.configured.entries[name])) {
          throw new AppError("READ_ONLY", `Server '${name}' is switched off in ${server.originPath}: change it there`);
        }
        if (server.enabled !== enabled) {
          if (server.id === null) await store.setDisabled(name, !enabled);
          else await store.setEnabled(server.id, enabled);
          server.enabled = enabled;
          follow(server);
        }
        return toSummary(server, connections);
      }),

    async reconnect(name: string): Promise<ServerSummary> {
      const server = find(name);
      if (!server.enabled) throw new AppError("INVALID", `Server '${name}' is switched off: switch it on first`);
      if (server.fault === null) await connections.reconnect(name);
      return toSummary(find(name), connections);
    },

    log: (name: string): ServerLogLine[] => connections.log(find(name).settings.name),
    messages: (name: string): ProtocolMessage[] => connections.messages(find(name).settings.name),
    ...createServerRequests(connections, (name) => void find(name)),
    async signOut(name: string): Promise<ServerSummary> {
      await connections.signOut(find(name).settings.name);
      return toSummary(find(name), connections);
    },

    clientConfigurations(origin: string, server: string | null): ClientConfiguration[] {
      if (server !== null) find(server);
      return clientConfigurations(new URL(origin).origin, ports.rootDir, server);
    },

    /**
     * For a name that the catalogue does not have: waits for the server that its prefix names, so that its tools can
     * become known. @returns why there is no such tool, null for a name without a prefix
     */
    explainMissing(toolName: string, signal: AbortSignal): Promise<string | null> | null {
      const prefix = prefixOf(toolName);
      if (prefix === null) return null;
      if (ports.isSwitchedOff(toolName)) return Promise.resolve("it is switched off");
      return explainMissing(connections, prefix, servers.get(prefix), signal);
    },
  };
}
