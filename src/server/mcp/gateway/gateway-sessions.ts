import type { ServerResponse } from "node:http";
import type { ClientObserver } from "../../engine/client-ports";
import type { GatewayTelemetry } from "../../platform/telemetry/telemetry";
import type { CatalogView } from "./catalog/catalog-view";
import type { CreateId } from "./create-id";
import type { GatewayLimits } from "./gateway-ports";
import type { GatewaySession } from "./gateway-session";
import type { StoredSession } from "./session-store";
import type { StoredSessions } from "./stored-sessions";

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
/** With the tag of the copy that began it, where there are several. */
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
    // The servers of this process have not heard the level: while it was replayed, the session was not among those that count.
    if (logLevel !== null) void server.applyLogLevel();
    // The list may have changed while the session was not in memory.
    await server.sendToolListChanged();
    // Its subscriptions were those of the process before: a client that is told of changed lists reads again.
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
