import { ToolFailure } from "../../../engine/failures";
import type { McpConnections } from "../../../engine/mcp-ports";
import type { ConnectionLimits } from "../connection/connection-limits";

/** Connections without a notion of users. */
export type PlainConnections = Omit<McpConnections, "credentialsChanged" | "startedSignIn">;

/** One user's open connection to one server. */
export interface UserEntry {
  readonly key: string;
  readonly server: string;
  readonly user: string;
  readonly connections: PlainConnections;
  /** Resolves when the stored credential has been applied; rejects without one. */
  ready: Promise<void>;
  /** Calls and requests that use it now. */
  users: number;
  /** When the last call ended. */
  lastUsedAt: number;
  timer: NodeJS.Timeout | null;
}

interface PoolPorts {
  limits: Pick<ConnectionLimits, "idleCloseMs" | "maxPersonal">;
  /** Creates an entry without opening a connection. */
  create(server: string, user: string): PlainConnections;
  /** The entry is no longer in the pool; its connection still closes. */
  onEnd(entry: UserEntry): void;
}

export const poolKey = (server: string, user: string): string => JSON.stringify([server, user]);

/** The open connections of users: bounded in number, each closed after some time without calls. */
export class UserPool {
  readonly #ports: PoolPorts;
  readonly #entries = new Map<string, UserEntry>();
  /** Connections whose processes are still ending: the next one of that key waits for them. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(ports: PoolPorts) {
    this.#ports = ports;
  }

  find(server: string, user: string | undefined): UserEntry | undefined {
    return user === undefined ? undefined : this.#entries.get(poolKey(server, user));
  }

  list(matches: (entry: UserEntry) => boolean): UserEntry[] {
    return [...this.#entries.values()].filter(matches);
  }

  /**
   * The entry of a server and a user; `leave` must follow.
   * @param connect called for a new one, after an earlier one has ended
   * @throws ToolFailure where too many are open
   */
  enter(server: string, user: string, connect: (entry: UserEntry) => Promise<void>): UserEntry {
    const key = poolKey(server, user);
    const found = this.#entries.get(key);
    if (found !== undefined) return this.#use(found);
    this.#makeSpace();
    const connections = this.#ports.create(server, user);
    const times = { lastUsedAt: performance.now(), timer: null };
    const entry: UserEntry = { key, server, user, connections, ready: Promise.resolve(), users: 0, ...times };
    this.#entries.set(key, entry);
    void this.follow(entry, async () => {
      await this.#closing.get(key);
      await connect(entry);
    });
    return this.#use(entry);
  }

  leave(entry: UserEntry): void {
    entry.users -= 1;
    entry.lastUsedAt = performance.now();
    if (entry.users > 0 || this.#entries.get(entry.key) !== entry) return;
    entry.timer = setTimeout(() => void this.end(entry), this.#ports.limits.idleCloseMs);
    entry.timer.unref();
  }

  /** Runs `connect` after earlier ones of this entry, and ends the entry when it fails. */
  follow(entry: UserEntry, connect: () => Promise<void>): Promise<void> {
    entry.ready = entry.ready
      .catch(() => undefined)
      .then(connect)
      .catch((error: unknown) => {
        void this.end(entry);
        throw error;
      });
    // Callers that wait for it receive the error.
    entry.ready.catch(() => undefined);
    return entry.ready;
  }

  async end(entry: UserEntry): Promise<void> {
    const { key } = entry;
    if (this.#entries.get(key) !== entry) return this.#closing.get(key);
    this.#entries.delete(key);
    if (entry.timer !== null) clearTimeout(entry.timer);
    const closed = entry.connections.close().finally(() => {
      if (this.#closing.get(key) === closed) this.#closing.delete(key);
    });
    this.#closing.set(key, closed);
    this.#ports.onEnd(entry);
    await closed;
  }

  async close(): Promise<void> {
    await Promise.all(this.list(() => true).map((entry) => this.end(entry)));
    await Promise.all(this.#closing.values());
  }

  #use(entry: UserEntry): UserEntry {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    entry.users += 1;
    return entry;
  }

  /** Closes the connection that was idle longest. */
  #makeSpace(): void {
    const { maxPersonal } = this.#ports.limits;
    if (this.#entries.size < maxPersonal) return;
    const [idle] = this.list(({ users }) => users === 0).sort((one, other) => one.lastUsedAt - other.lastUsedAt);
    if (idle === undefined) {
      throw new ToolFailure(
        "unavailable",
        `All ${maxPersonal} connections with personal credentials are in use: try again when other calls have ended`,
      );
    }
    void this.end(idle);
  }
}
