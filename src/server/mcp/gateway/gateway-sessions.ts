import type { ServerResponse } from "node:http";
import { getMessage } from "../../../lib/get-message";
import type { ClientObserver } from "../../engine/client-ports";
import type { Logger } from "../../engine/ports";
import type { GatewayTelemetry } from "../../platform/telemetry/telemetry";
import type { CatalogView } from "./catalog/catalog-view";
import type { CreateId } from "./create-id";
import type { GatewayLimits } from "./gateway-ports";
import type { GatewaySession } from "./gateway-session";
import type { SessionStore, StoredSession } from "./session-store";

export interface GatewaySessionsOptions {
  limits: GatewayLimits;
  telemetry?: GatewayTelemetry | undefined;
  clients?: ClientObserver | undefined;
  /** Null: sessions end when they leave memory. */
  stored: StoredSessions | null;
  /** Creates a session that has not received `initialize` yet. */
  open: (id: string, view: CatalogView, options?: { resumed: boolean }) => Promise<GatewaySession>;
  createId: CreateId;
}

const LIST_CHANGED = "notifications/tools/list_changed";
const SWEEP_MS = 30_000;
const ID_BYTES = 24;
/** An id with the tag of the instance that began the session, where there are several. */
const ID = /^(?:[\w-]{8}\.)?[\w-]{32}$/;

/** The sessions in memory. A stored one is resumed by the first request that names it. */
export class GatewaySessions {
  readonly #byId = new Map<string, GatewaySession>();
  readonly #resuming = new Map<string, Promise<GatewaySession | undefined>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(private readonly options: GatewaySessionsOptions) {
    this.#sweep = setInterval(() => this.#unloadIdle(), Math.min(SWEEP_MS, options.limits.sessionIdleMs));
    this.#sweep.unref();
  }

  get count(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  all(): Iterable<GatewaySession> {
    return this.#byId.values();
  }

  async begin(view: CatalogView): Promise<GatewaySession> {
    const session = await this.options.open(this.options.createId(ID_BYTES), view);
    this.options.stored?.follow(session);
    this.#add(session);
    return session;
  }

  /** Undefined for an unknown or expired session, and for one of another address. */
  async find(id: string, view: CatalogView): Promise<GatewaySession | undefined> {
    const session = this.#byId.get(id) ?? (await this.#resume(id, view));
    if (session === undefined || session.view.key !== view.key) return undefined;
    session.lastUsedAt = Date.now();
    this.options.stored?.markUsed(session);
    return session;
  }

  /** @param changed the parts of the catalog that are another one than before */
  tellOfChange(changed: ReadonlySet<CatalogView>): void {
    for (const { view, server, transport } of this.#byId.values()) {
      if (!changed.has(view)) continue;
      server.sendToolListChanged().catch(() => {});
      if (transport.isListening) this.options.clients?.noticed(server.toPeer());
    }
  }

  /** Opens the stream of a session and delivers its pending messages. */
  listen({ transport, server }: GatewaySession, response: ServerResponse): void {
    if (transport.holds(LIST_CHANGED)) this.options.clients?.noticed(server.toPeer());
    transport.listen(response);
  }

  /** Ends a session for good: its streams, its calls, its row. */
  async end(session: GatewaySession): Promise<void> {
    this.options.clients?.ended(session.server.toPeer());
    // The row first: a request that arrives during the delete must not resume the session.
    if (session.storedUseAt !== null) await this.options.stored?.delete(session.id);
    await this.#unload(session);
  }

  endStreams(): void {
    for (const { transport } of this.#byId.values()) transport.endStream();
  }

  /** Stored sessions can be resumed by the next process. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.allSettled(this.#resuming.values());
    await Promise.all([...this.#byId.values()].map((session) => this.#unload(session)));
  }

  #resume(id: string, view: CatalogView): Promise<GatewaySession | undefined> | undefined {
    const { stored } = this.options;
    if (stored === null || !ID.test(id)) return undefined;
    // A request to another address, which finds nothing, must not answer for those to the session's own.
    const key = `${id} ${view.key}`;
    const underWay = this.#resuming.get(key);
    if (underWay !== undefined) return underWay;
    const resuming = stored
      .find(id)
      .then((found) => (found?.address === view.key ? this.#restore(found, view, stored) : undefined))
      .finally(() => this.#resuming.delete(key));
    this.#resuming.set(key, resuming);
    return resuming;
  }

  async #restore(found: StoredSession, view: CatalogView, stored: StoredSessions): Promise<GatewaySession> {
    const { id, protocol: protocolVersion, clientInfo, clientCapabilities: capabilities, logLevel } = found;
    const session = await this.options.open(id, view, { resumed: true });
    const { transport, server } = session;
    await transport.replay("initialize", { protocolVersion, clientInfo, capabilities });
    if (logLevel !== null) await transport.replay("logging/setLevel", { level: logLevel });
    session.storedUseAt = found.lastUsedAt;
    stored.follow(session);
    this.#add(session);
    // Sends the level to the servers of this process: the session did not count while the level was replayed.
    if (logLevel !== null) void server.applyLogLevel();
    // The list may have changed while the session was not in memory.
    await server.sendToolListChanged();
    // The previous process had its subscriptions: a client that is notified of changed lists reads again.
    if (server.getCapabilities().resources !== undefined) await server.sendResourceListChanged();
    if (server.getCapabilities().prompts !== undefined) await server.sendPromptListChanged();
    return session;
  }

  #add(session: GatewaySession): void {
    if (this.#byId.size >= this.options.limits.maxSessions) this.#unloadOldest();
    session.view.hold();
    this.#byId.set(session.id, session);
  }

  /** Ends its streams and cancels its calls. */
  async #unload(session: GatewaySession): Promise<void> {
    if (this.#byId.delete(session.id)) {
      session.view.release();
      const protocol = session.server.getNegotiatedProtocolVersion();
      this.options.telemetry?.recordSession(Date.now() - session.openedAt, protocol);
    }
    await session.server.close();
  }

  #unloadIdle(): void {
    const before = Date.now() - this.options.limits.sessionIdleMs;
    for (const session of this.#byId.values()) {
      if (session.transport.busy) {
        session.lastUsedAt = Date.now();
        this.options.stored?.markUsed(session);
      } else if (session.lastUsedAt <= before) void this.#unload(session);
    }
    this.options.stored?.prune();
  }

  /** The one that was idle longest; a busy one only when all are, of the user with the most. */
  #unloadOldest(): void {
    const counts = new Map<string, number>();
    const getCount = ({ view }: GatewaySession): number => counts.get(view.principal.id) ?? 0;
    for (const session of this.#byId.values()) counts.set(session.view.principal.id, getCount(session) + 1);
    const [oldest] = [...this.#byId.values()].sort(
      (left, right) =>
        Number(left.transport.busy) - Number(right.transport.busy) ||
        (left.transport.busy ? getCount(right) - getCount(left) : 0) ||
        left.lastUsedAt - right.lastUsedAt,
    );
    if (oldest !== undefined) void this.#unload(oldest);
  }
}

const MARK_USED_EVERY_MS = 60_000;
const PRUNE_EVERY_MS = 10 * 60_000;
const CREATED_BEFORE_PRUNE = 500;
/** A client with a longer description gets a session that ends with the process. */
const MAX_CLIENT_CHARS = 65_536;

/** Keeps the store up to date with the sessions in memory. No write delays a request, except the one of DELETE. */
export class StoredSessions {
  #prunedAt = 0;
  #created = 0;
  readonly #markUsedEveryMs: number;
  /** Rows being written: a database with several connections may carry out a later delete before them. */
  readonly #starting = new Map<string, Promise<void>>();

  constructor(
    private readonly store: SessionStore,
    private readonly limits: Pick<GatewayLimits, "sessionExpiryMs" | "maxStoredSessions">,
    private readonly logger: Logger,
    /** The id of this instance; null where there is one process. */
    private readonly owner: string | null = null,
  ) {
    this.#markUsedEveryMs = Math.min(MARK_USED_EVERY_MS, limits.sessionExpiryMs / 10);
  }

  /** Stores a session after its `initialize`, and its log level after each `logging/setLevel`. */
  follow(session: GatewaySession): void {
    session.server.onInitialized = () => this.#create(session);
    session.server.onLogLevel = (level) => {
      if (session.storedUseAt !== null) void this.#write("log level", this.store.setLogLevel(session.id, level));
    };
  }

  /** Null for an unknown or expired id. @throws when the store cannot be read */
  async find(id: string): Promise<StoredSession | null> {
    const found = await this.store.find(id);
    return found === null || found.lastUsedAt <= this.#unusedSince() ? null : found;
  }

  markUsed(session: GatewaySession): void {
    const { storedUseAt, lastUsedAt } = session;
    if (storedUseAt === null || lastUsedAt - storedUseAt < this.#markUsedEveryMs) return;
    session.storedUseAt = lastUsedAt;
    void this.#write("last use", this.store.markUsed(session.id, lastUsedAt));
  }

  async delete(id: string): Promise<void> {
    await this.#starting.get(id);
    await this.#write("end", this.store.delete(id));
  }

  /** The other instances may resume the sessions of this one from now on. */
  async release(): Promise<void> {
    if (this.owner !== null) await this.#write("owner", this.store.release(this.owner));
  }

  /** Called now and then; deletes what has expired when that is due. */
  prune(): void {
    const due = Date.now() - this.#prunedAt >= Math.min(PRUNE_EVERY_MS, this.limits.sessionExpiryMs);
    if (!due && this.#created < CREATED_BEFORE_PRUNE) return;
    this.#prunedAt = Date.now();
    this.#created = 0;
    void this.#write("expiry", this.store.prune(this.#unusedSince(), this.limits.maxStoredSessions));
  }

  #create(session: GatewaySession): void {
    const { id, view, server, lastUsedAt } = session;
    const client = { clientInfo: server.getClientVersion(), clientCapabilities: server.getClientCapabilities() };
    const protocol = server.getNegotiatedProtocolVersion();
    if (protocol === undefined || session.storedUseAt !== null) return;
    if (JSON.stringify([client, view.key]).length > MAX_CLIENT_CHARS) return;
    session.storedUseAt = lastUsedAt;
    this.#created += 1;
    const times = { createdAt: lastUsedAt, lastUsedAt };
    const row = { id, address: view.key, protocol, logLevel: null, owner: this.owner, ...client, ...times };
    const starting = this.#write("start", this.store.create(row)).finally(() => this.#starting.delete(id));
    this.#starting.set(id, starting);
    this.prune();
  }

  #unusedSince(): number {
    return Date.now() - this.limits.sessionExpiryMs;
  }

  /** A session works without its row; it only ends with the process then. */
  async #write(what: string, writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      this.logger.warn({ error: getMessage(error) }, `Gateway: the ${what} of a session could not be stored`);
    }
  }
}
