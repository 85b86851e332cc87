import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import type { GatewayLimits } from "./gateway-ports";
import type { GatewaySession } from "./gateway-session";
import type { SessionStore, StoredSession } from "./session-store";

const MARK_USED_EVERY_MS = 60_000;
const PRUNE_EVERY_MS = 10 * 60_000;
const CREATED_BEFORE_PRUNE = 500;
/** A client that says more of itself gets a session that ends with the process. */
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
    /** This copy; null where there is one process. */
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
