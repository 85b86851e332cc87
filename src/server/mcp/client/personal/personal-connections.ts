import type { ConnectionState } from "../../../../lib/contract/connection-state";
import type { ToolCallResult } from "../../../../lib/contract/content";
import type { ProtocolMessage, ServerLogLine } from "../../../../lib/contract/server";
import { DISABLED_CONNECTION } from "../../../../lib/contract/server";
import { ToolFailure } from "../../../engine/failures";
import type {
  ConnectionSettings,
  McpConnectionEvents,
  McpConnections,
  PersonalCredentials,
  PersonalSlots,
  ServerContent,
  UserIdentities,
} from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";
import type { ConnectionLimits } from "../connection/connection-limits";
import type { ServerLog } from "../log/server-log";
import { IdentityGate, readIdentityAuth } from "./identity-gate";
import { type SignInAskPorts, SignInAsks } from "./sign-in-asks";
import { findSignIn } from "./stored-sign-ins";
import { ToolSources } from "./tool-sources";
import { type PlainConnections, type UserEntry, UserPool } from "./user-pool";

export interface PersonalOptions extends SignInAskPorts {
  credentials: PersonalCredentials;
  /** Whether an actor is a user, who may have credentials. */
  isUser(id: string): boolean;
  /** Absent where no identity provider proves anything about users. */
  identities?: UserIdentities | undefined;
}

interface PersonalConnectionsOptions extends PersonalOptions {
  /** Connections of servers without personal credentials. */
  shared: PlainConnections;
  /** Connections for one server and one user. */
  create(user: string, events: McpConnectionEvents): PlainConnections;
  /** The log of a server with events that concern all users. */
  createLog(server: string): ServerLog;
  events: McpConnectionEvents;
  limits: ConnectionLimits;
}

type PersonalSettings = ConnectionSettings & { personal: PersonalSlots };

/** Routes each use of a server with personal credentials to a connection of the user it is for, never to another. */
export class PersonalConnections implements McpConnections {
  readonly #options: PersonalConnectionsOptions;
  readonly #pool: UserPool;
  readonly #servers = new Map<string, { settings: PersonalSettings; log: ServerLog }>();
  readonly #sources = new ToolSources();
  readonly #asks: SignInAsks;
  readonly #gate: IdentityGate;
  #closed = false;

  constructor(options: PersonalConnectionsOptions) {
    this.#options = options;
    this.#asks = new SignInAsks(options);
    this.#gate = new IdentityGate(this.#asks, options.identities);
    const { events, limits } = options;
    this.#pool = new UserPool({
      limits,
      create: (_server, user) =>
        options.create(user, {
          onState: events.onState,
          onTools: (server, tools) => this.#takeTools(server, user, tools),
          // A user's log is theirs alone.
          onLog: () => undefined,
          onContent: (server, change) => events.onContent(server, change, user),
        }),
      onEnd: ({ server, key }) => {
        this.#sources.release(server, key);
        events.onState(server, this.state(server) ?? DISABLED_CONNECTION);
      },
    });
  }

  apply(settings: ConnectionSettings): void {
    const { name, personal } = settings;
    if (personal === undefined) {
      if (this.#servers.delete(name)) void this.#endServer(name);
      this.#options.shared.apply(settings);
      return;
    }
    if (this.#closed) return;
    const before = this.#servers.get(name);
    if (before === undefined) void this.#options.shared.remove(name);
    const next = { ...settings, personal };
    this.#servers.set(name, { settings: next, log: before?.log ?? this.#options.createLog(name) });
    if (JSON.stringify(before?.settings) !== JSON.stringify(next)) void this.#refresh((entry) => entry.server === name);
  }

  async remove(server: string): Promise<void> {
    this.#servers.delete(server);
    await Promise.all([this.#options.shared.remove(server), this.#endServer(server)]);
  }

  reconnect(server: string, user?: string): Promise<ConnectionState> {
    return this.#use(server, user, (connections) => connections.reconnect(server));
  }

  ready(server: string, signal?: AbortSignal): Promise<ConnectionState> {
    const state = this.#servers.has(server) ? this.state(server) : null;
    return state === null ? this.#options.shared.ready(server, signal) : Promise.resolve(state);
  }

  state(server: string, user?: string): ConnectionState | null {
    const personal = this.#servers.get(server);
    if (personal === undefined) return this.#options.shared.state(server);
    const open = this.#pool.find(server, user)?.connections.state(server) ?? null;
    return open ?? { ...DISABLED_CONNECTION, status: personal.settings.enabled ? "idle" : "disabled" };
  }

  log(server: string, user?: string): ServerLogLine[] {
    const personal = this.#servers.get(server);
    if (personal === undefined) return this.#options.shared.log(server);
    const own = this.#pool.find(server, user)?.connections.log(server) ?? [];
    const lines = [...personal.log.lines(), ...own].sort((one, other) => one.at - other.at);
    return lines.map((line, index) => ({ ...line, seq: index + 1 }));
  }

  messages(server: string, user?: string): ProtocolMessage[] {
    if (!this.#servers.has(server)) return this.#options.shared.messages(server);
    return this.#pool.find(server, user)?.connections.messages(server) ?? [];
  }

  async content<T>(server: string, work: (content: ServerContent) => Promise<T>, user?: string): Promise<T> {
    return await this.#use(server, user, async (connections) => {
      if (this.#servers.has(server)) await this.#requireSignIn(server, connections);
      return await connections.content(server, work);
    });
  }

  capabilities(server: string, user?: string): Readonly<Record<string, unknown>> | null {
    if (!this.#servers.has(server)) return this.#options.shared.capabilities(server);
    return this.#pool.find(server, user)?.connections.capabilities(server) ?? null;
  }

  startSignIn(
    server: string,
    redirectUrl: string,
    returnTo: string | null = null,
    user?: string,
  ): Promise<string | null> {
    const start = (connections: PlainConnections) => connections.startSignIn(server, redirectUrl, returnTo);
    return this.#use(server, user, start, { signingIn: true });
  }

  async finishSignIn(params: URLSearchParams, user?: string): Promise<{ server: string; returnTo: string | null }> {
    if (user === undefined) return this.#options.shared.finishSignIn(params);
    const server = findSignIn(await this.#options.credentials.signIns(user), params.get("state"));
    const finish = async (connections: PlainConnections) => {
      // The connection may be new: its first attempt prepares what a sign-in needs.
      await connections.ready(server ?? "");
      return connections.finishSignIn(params);
    };
    if (server !== null && this.#servers.has(server)) {
      const finished = await this.#use(server, user, finish, { signingIn: true });
      this.#asks.noteChange(user);
      return finished;
    }
    throw new ToolFailure("not_found", "You have no such sign-in: it has expired, or is complete already");
  }

  async startedSignIn(params: URLSearchParams, user: string): Promise<boolean> {
    return findSignIn(await this.#options.credentials.signIns(user), params.get("state")) !== null;
  }

  async signOut(server: string, user?: string): Promise<void> {
    if (!this.#servers.has(server)) return this.#options.shared.signOut(server);
    if (user === undefined) return;
    await this.#options.credentials.writeSignIn(server, user, null);
    await this.credentialsChanged(user);
  }

  signedIn(server: string, user?: string): boolean {
    if (!this.#servers.has(server)) return this.#options.shared.signedIn(server);
    return this.#pool.find(server, user)?.connections.signedIn(server) ?? false;
  }

  async credentialsChanged(user?: string): Promise<void> {
    await this.#refresh((entry) => user === undefined || entry.user === user);
    this.#asks.noteChange(user);
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolCallResult> {
    if (!this.#servers.has(server)) return this.#options.shared.call(server, tool, args, context);
    const call = (): Promise<ToolCallResult> =>
      this.#use(server, context.actor.id, async (connections) => {
        await this.#requireSignIn(server, connections, context.signal);
        context.usePersonalCredential();
        return await connections.call(server, tool, args, context).catch((error: unknown) => {
          throw this.#gate.toAskable(this.#servers.get(server)?.settings, error);
        });
      });
    const check = (): Promise<void> =>
      this.#use(server, context.actor.id, (connections) => this.#requireSignIn(server, connections, context.signal));
    return this.#asks.call(server, context, { call, check });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#options.shared.close(), this.#pool.close()]);
  }

  /** Lets `work` use the user's connection to a personal server, and the shared one of any other. */
  async #use<Result>(
    server: string,
    user: string | undefined,
    work: (connections: PlainConnections) => Promise<Result>,
    { signingIn = false } = {},
  ): Promise<Result> {
    const personal = this.#servers.get(server);
    if (personal === undefined) return work(this.#options.shared);
    if (this.#closed) throw new ToolFailure("unavailable", "The server is stopping");
    if (!personal.settings.enabled)
      throw new ToolFailure(
        "unavailable",
        personal.settings.withheld === undefined
          ? `Server '${server}' is disabled`
          : `Server '${server}' is not connected: ${personal.settings.withheld}`,
      );
    if (user === undefined || !this.#options.isUser(user)) {
      throw new ToolFailure(
        "sign_in_needed",
        `Server '${server}' uses each user's own credential, and this call runs for no user: call it with an API token of a user who has connected their account`,
      );
    }
    const entry = this.#pool.enter(server, user, (created) => this.#connect(created, signingIn));
    try {
      await entry.ready;
      return await work(entry.connections);
    } finally {
      this.#pool.leave(entry);
    }
  }

  /** @throws ToolFailure for a user without a usable credential */
  async #connect({ server, user, connections }: UserEntry, signingIn: boolean): Promise<void> {
    const settings = this.#servers.get(server)?.settings;
    if (settings === undefined) throw new ToolFailure("unavailable", `Server '${server}' was changed: call again`);
    const stored = await this.#options.credentials.read(server, user);
    const { slots, binding } = settings.personal;
    if (slots.length === 0) {
      const auth = readIdentityAuth(settings);
      if (auth !== null) await this.#gate.requireIdentity(server, user, auth, stored?.kind === "oauth");
      else if (!signingIn && stored?.kind !== "oauth") throw this.#asks.toFailure(server);
      connections.apply(settings);
      return;
    }
    if (stored?.kind !== "values" || stored.binding !== binding) throw this.#asks.toFailure(server);
    const values = slots.map((slot) => [slot, ownValue(stored.values, slot)] as const);
    if (values.some(([, value]) => value === undefined)) throw this.#asks.toFailure(server);
    connections.apply({ ...settings, personalValues: Object.fromEntries(values) as Record<string, string> });
  }

  /** A server may let a connection without a sign-in call its tools: that would not be the user's account. */
  async #requireSignIn(server: string, connections: PlainConnections, signal?: AbortSignal): Promise<void> {
    const settings = this.#servers.get(server)?.settings;
    if (settings?.personal.slots.length !== 0) return;
    const auth = readIdentityAuth(settings);
    if (auth !== null) return this.#gate.requireToken(server, auth, connections, signal);
    const { status } = await connections.ready(server, signal);
    if (status === "sign_in_needed" || (status === "connected" && !connections.signedIn(server))) {
      throw this.#asks.toFailure(server);
    }
  }

  #takeTools(server: string, user: string, tools: readonly unknown[]): void {
    const personal = this.#servers.get(server);
    const entry = this.#pool.find(server, user);
    if (personal === undefined || entry === undefined) return;
    const { counts, warn } = this.#sources.take(server, entry.key, tools);
    if (warn) {
      const text =
        "People see different tools on this server: the catalog has the tools of the connection opened first";
      personal.log.add("toolroom", "warn", text);
    }
    if (counts) this.#options.events.onTools(server, tools);
  }

  async #refresh(matches: (entry: UserEntry) => boolean): Promise<void> {
    const followed = this.#pool
      .list(matches)
      .map((entry) => this.#pool.follow(entry, () => this.#connect(entry, false)).catch(() => this.#pool.end(entry)));
    await Promise.all(followed);
  }

  async #endServer(server: string): Promise<void> {
    this.#sources.forget(server);
    await Promise.all(this.#pool.list((entry) => entry.server === server).map((entry) => this.#pool.end(entry)));
  }
}

function ownValue(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
