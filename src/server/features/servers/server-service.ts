import { getBasePath } from "../../../lib/base-path";
import type { Actor } from "../../../lib/contract/actor";
import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import type { ClientConfigurations } from "../../../lib/contract/client-configuration";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerSummary } from "../../../lib/contract/server";
import type { ServerImport } from "../../../lib/contract/server-import";
import type { MissingReason } from "../../engine/executor/tool-executor";
import type { ConnectionSettings, ListedTool, McpConnectionEvents } from "../../engine/mcp-ports";
import { NEVER_PAUSED } from "../../platform/coordination/pausable-jobs";
import { AppError } from "../../platform/shared/app-error";
import { toRefusalOfThrown } from "../../platform/shared/upstream-error";
import { createFirstListsWait, explainMissing } from "./await-first-lists";
import { createChangeDecisions } from "./change-decisions";
import { checkImport, checkSettings, type SettingsCheck } from "./check-settings";
import { clientConfigurations, type ServedPart } from "./connect/client-configurations";
import { parseImport } from "./import/parse-import";
import { createKnownServers, type KnownServers } from "./known-servers";
import { loadServers } from "./load-servers";
import { type PreparedServer, prepareServer } from "./prepare-server";
import { readPrefix } from "./read-server-tools";
import { type KnownServer, toDetail, toSummary } from "./server-directory";
import { ServerEdits } from "./server-edits";
import type { ServerServicePorts } from "./server-ports";
import { createServerQueries } from "./server-queries";
import { toConnectionSettings, toInvalidError } from "./server-settings";
import { createTestedConnection } from "./tested-connection";
import { isExcluded } from "./tool-filter";
import { createToolUpdates } from "./tool-updates";

const PAUSED =
  "this Toolroom is paused, since its database is a copy. An admin resumes it at the top of any page or with toolroom resume";

export type ServerService = ReturnType<typeof createServerService>;

/** MCP servers of the console and the configuration: settings, connections and tools. */
export function createServerService(ports: ServerServicePorts) {
  const { connections, store, getMask } = ports;
  const known = ports.known ?? createKnownServers();
  const { servers, find } = known;
  const problems: LoadProblem[] = [];
  const { pause = NEVER_PAUSED } = ports;

  const publishChange = (name: string): void => ports.publish({ type: "servers", server: name });
  const { shareChange = (_name: string, onShared?: () => void) => onShared?.() } = ports;
  known.changed.on((name) => shareChange(name, () => publishChange(name)));
  const updates = createToolUpdates({ ...ports, find: (name) => servers.get(name), publishChange, shareChange });
  function connect({ settings, secrets, enabled, problem }: KnownServer): void {
    const isWanted = enabled && problem === null && ports.offline !== true;
    const applied = toConnectionSettings(settings, secrets, isWanted && !pause.isPaused());
    connections.apply(isWanted && pause.isPaused() ? { ...applied, withheld: PAUSED } : applied);
    publishChange(settings.name);
  }
  /** A command-line process opens no connections on its own, and so connects this server first. */
  function attempt({ settings, secrets }: KnownServer, actor: Actor): Promise<ConnectionState> {
    if (ports.offline !== true) return connections.reconnect(settings.name, actor.id);
    connections.apply(toConnectionSettings(settings, secrets, true));
    return connections.ready(settings.name);
  }
  pause.onResume(() => {
    for (const server of servers.values()) connect(server);
  });

  return {
    /** Listens to the connections. `onTools` resolves when the tools are in the catalog and stored. */
    events: {
      onState(name, state) {
        // Pages that hear of it must not find the former state at another instance. A user's own connection is shown as this instance has it.
        if (servers.get(name)?.settings.credentials?.mode !== "personal") ports.others?.states.tell(name, state);
        publishChange(name);
      },
      onTools: (name, listed: readonly ListedTool[]) => updates.take(name, listed),
      onLog: (name, line) =>
        ports.publish({ type: "server_log", server: name, line: ports.others?.logs.mark(line) ?? line }),
    } satisfies Omit<McpConnectionEvents, "onContent">,

    /** Loads the stored servers and starts connecting; an unusable server becomes a problem. */
    async load(): Promise<void> {
      const loaded = await loadServers(store, ports.configured, getMask);
      for (const problem of loaded.problems) {
        const { name, error } = problem;
        ports.logger.error({ server: name, error }, `MCP server '${name}' not loaded: ${error}`);
        problems.push(problem);
      }
      for (const server of loaded.servers) known.put(server);
      // Queued before any list that a connection reports.
      const recalled = updates.recallAll(loaded.servers, loaded.knowledge);
      for (const server of loaded.servers) connect(server);
      await recalled;
      await ports.others?.states.load();
    },

    ...createServerQueries(ports, { servers, problems, find }),

    checkSettings: (candidate: unknown, editing: string | undefined): SettingsCheck =>
      checkSettings(candidate, {
        before: editing === undefined ? undefined : servers.get(editing),
        isTaken: (name) => name !== editing && servers.has(name),
        ...ports,
      }),

    parseImport: async (text: string): Promise<ServerImport> =>
      checkImport(await parseImport(text, ports.parseConfigText), { isTaken: (name) => servers.has(name), ...ports }),

    /** Settings with their secrets, for an import that writes them itself: not for a browser. */
    prepare: (candidate: unknown): PreparedServer | { problems: Problem[] } =>
      prepareServer(candidate, (name) => servers.get(name), ports),

    ...new ServerEdits({ ...ports, known, updates, connect }),

    /** Resolves when the attempt has ended and the tools that it listed are in the catalog. */
    async reconnect(actor: Actor, name: string): Promise<ServerSummary> {
      const server = requireEnabled(find(name));
      if (pause.isPaused()) throw new AppError("UNAVAILABLE", `Server '${name}' is not connected: ${PAUSED}`);
      if (server.problem === null) await attempt(server, actor).catch(rejectConnect);
      await updates.registered(name);
      return toSummary(find(name), ports, actor.id);
    },

    ...createChangeDecisions({ ports, find, updates }),

    baselineConnection: createBaselineConnection(ports, known),
    testedConnection: createTestedConnection(known, pause.isPaused),
    ...createServerRequests(ports, known),

    clientConfigurations(origin: string, part: ServedPart): ClientConfigurations {
      if (part.server !== undefined && ports.isOtherAddress?.(part.server) !== true) find(part.server);
      return clientConfigurations(toConsoleAddress(origin), ports.installation, part, ports.tokenNeeds);
    },

    /** @throws AppError for a server that is unknown or switched off */
    requireEnabled: (name: string): void => void requireEnabled(find(name)),

    awaitFirstLists: createFirstListsWait({ ...updates, connections, servers, clock: ports.clock }),
    /**
     * Why the catalog lacks a tool. Waits for the server that the name's prefix names, whose tools may still arrive.
     * @returns null for a name without a prefix
     */
    explainMissing(toolName: string, signal: AbortSignal): Promise<MissingReason> | null {
      const prefix = readPrefix(toolName);
      if (prefix === null) return null;
      if (ports.isSwitchedOff(toolName)) return Promise.resolve("it is switched off");
      if (isExcluded(servers.get(prefix), toolName)) {
        return Promise.resolve(`the settings of the server '${prefix}' exclude it`);
      }
      return explainMissing({ ...updates, connections, find: (name) => servers.get(name) }, prefix, toolName, signal);
    },
  };
}

/** @param origin of a page of the console */
const toConsoleAddress = (origin: string): string => new URL(origin).origin + getBasePath();

function requireEnabled(server: KnownServer): KnownServer {
  if (server.enabled) return server;
  throw new AppError("INVALID", `Server '${server.settings.name}' is switched off: switch it on first`);
}

/** For a user who has not connected an account. */
function rejectConnect(error: unknown): never {
  throw toRefusalOfThrown(error);
}

/** Requests that a user's visit sends to a server, and what sign-ins change. */
function createServerRequests(
  ports: Pick<ServerServicePorts, "connections" | "others" | "isOwnOrigin" | "getMask">,
  { servers, find }: Pick<KnownServers, "servers" | "find">,
) {
  const { connections, others, isOwnOrigin = () => true } = ports;
  /** Turns a server's refusal or timeout into an error for the user. */
  async function request<T>(name: string, send: () => Promise<T>): Promise<T> {
    requireEnabled(find(name));
    try {
      return await send();
    } catch (error) {
      throw toRefusalOfThrown(error);
    }
  }

  return {
    async startSignIn(
      actor: Actor,
      name: string,
      origin: string,
      returnTo: string | null,
    ): Promise<{ url: string | null }> {
      if (!isOwnOrigin(origin)) {
        throw new AppError(
          "INVALID",
          "origin: must be an address of this console. TOOLROOM_ALLOWED_HOSTS lists its names",
        );
      }
      return await request(name, async () => ({
        url: await connections.startSignIn(name, `${toConsoleAddress(origin)}/oauth/callback`, returnTo, actor.id),
      }));
    },
    /** @returns the path of the console page to continue on */
    async finishSignIn(_actor: Actor, params: URLSearchParams): Promise<{ server: string; path: string }> {
      const { server, returnTo } = await connections.finishSignIn(params);
      others?.tellSignIn(server);
      return { server, path: returnTo ?? `/servers/${encodeURIComponent(server)}` };
    },
    async signOut(actor: Actor, name: string): Promise<ServerSummary> {
      await connections.signOut(find(name).settings.name, actor.id);
      others?.tellSignIn(name);
      return toSummary(find(name), ports, actor.id);
    },
    /** The sign-in of a server has changed at another instance: its connection here uses it too. */
    async followSignIn(name: string): Promise<void> {
      const server = servers.get(name);
      if (server?.enabled && server.problem === null) await connections.reconnect(name).catch(() => undefined);
    },
  };
}

type BaselinePorts = Pick<ServerServicePorts, "connections" | "others" | "variables" | "getMask">;

/** A connection of its own to another version of a server: its address or command, with what may be sent there of the server's settings. */
function createBaselineConnection(ports: BaselinePorts, { servers, find }: KnownServers) {
  return (
    name: string,
    target: { command: string; args: string[] } | { url: string },
    connection: string,
  ): ConnectionSettings => {
    const { settings } = toDetail(find(name), ports);
    const isPersonal = settings.credentials?.mode === "personal";
    const isFit = "command" in target ? "command" in settings : "url" in settings;
    if (isPersonal || !isFit) {
      const reason = isPersonal ? "its users have credentials of their own" : `it is reached by ${settings.transport}`;
      throw new AppError(
        "INVALID",
        `baseline: does not fit the server '${name}': ${reason}. Leave it out to compare with recorded results`,
      );
    }
    const prepared = prepareServer({ ...settings, ...target }, (each) => servers.get(each), ports);
    if ("problems" in prepared) throw toInvalidError(prepared.problems);
    const { settings: read, secrets, missing } = prepared;
    if (missing.length > 0) {
      throw new AppError(
        "INVALID",
        `baseline: ${missing.join(", ")} is not sent to another origin: use an address of the server's own one`,
      );
    }
    const own = { ...read, ...("single" in read && { single: false }) };
    return { ...toConnectionSettings(own, secrets, true), name: connection };
  };
}
