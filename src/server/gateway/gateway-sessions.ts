import { randomBytes } from "node:crypto";
import type { CatalogueServer } from "./catalogue-server";
import type { CatalogueView } from "./catalogue-view";
import type { GatewayLimits } from "./gateway-ports";
import type { HttpServerTransport } from "./http-transport";

/** A client of the 2025 protocols, from its `initialize` until it says goodbye or is not heard of for long. */
export interface GatewaySession {
  id: string;
  view: CatalogueView;
  transport: HttpServerTransport;
  server: CatalogueServer;
  lastUsedAt: number;
}

const SWEEP_MS = 30_000;

export function newSessionId(): string {
  return randomBytes(24).toString("base64url");
}

export class GatewaySessions {
  readonly #byId = new Map<string, GatewaySession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(private readonly limits: GatewayLimits) {
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(SWEEP_MS, limits.sessionIdleMs));
    this.#sweep.unref();
  }

  get count(): number {
    return this.#byId.size;
  }

  all(): Iterable<GatewaySession> {
    return this.#byId.values();
  }

  add(session: GatewaySession): void {
    if (this.#byId.size >= this.limits.maxSessions) this.#endOldest();
    session.view.hold();
    this.#byId.set(session.id, session);
  }

  /** A session belongs to the address that it was begun at. */
  find(id: string, view: CatalogueView): GatewaySession | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.view.key !== view.key) return undefined;
    session.lastUsedAt = Date.now();
    return session;
  }

  /** Ends its streams and cancels its calls. */
  async end(session: GatewaySession): Promise<void> {
    if (this.#byId.delete(session.id)) session.view.release();
    await session.server.close();
  }

  endStreams(): void {
    for (const { transport } of this.#byId.values()) transport.endStream();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#byId.values()].map((session) => this.end(session)));
  }

  #endIdle(): void {
    const before = Date.now() - this.limits.sessionIdleMs;
    for (const session of this.#byId.values()) {
      if (session.transport.busy) session.lastUsedAt = Date.now();
      else if (session.lastUsedAt <= before) void this.end(session);
    }
  }

  /** The one that was idle longest; a busy one only when all are. */
  #endOldest(): void {
    const [oldest] = [...this.#byId.values()].sort(
      (left, right) => Number(left.transport.busy) - Number(right.transport.busy) || left.lastUsedAt - right.lastUsedAt,
    );
    if (oldest !== undefined) void this.end(oldest);
  }
}
