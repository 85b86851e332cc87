import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionState } from "../../../../lib/contract/connection-state";
import { DISABLED_CONNECTION, NO_CONNECTION } from "../../../../lib/contract/server";
import { getMessage } from "../../../../lib/get-message";
import { ToolFailure } from "../../../engine/failures";
import type { ConnectionSettings, McpConnectionEvents, ServerContent } from "../../../engine/mcp-ports";
import type { Logger } from "../../../engine/ports";
import type { Bulletin } from "../../../platform/coordination/bulletin";
import type { Forwarding } from "../../../platform/coordination/forwarding";
import type { Lease, Locks } from "../../../platform/coordination/locks";
import { getSeverity, PROTOCOL_LEVELS } from "../../fast-path/call-context";
import type { PlainConnections } from "../personal/user-pool";
import { waitUntilAborted } from "../wait";
import { RemoteOwner } from "./remote-owner";
import { type FollowedNews, WHO_RUNS } from "./wire";

const LEASE_MS = 15_000;
const LOOK_MS = 500;
const RETRY_MS = 100;
const CHECK_OWNER_MS = 500;

export interface SingleServerPorts {
  locks: Pick<Locks, "acquire">;
  bulletin: Bulletin;
  forwarding: Forwarding;
  logger: Logger;
  /** The process, where this instance runs it. */
  inner: PlainConnections;
  /** Receives the events of the inner connections, and of the owner. */
  events: McpConnectionEvents;
}

/** One server whose process one instance runs: this one, while it has the lease, or another one, which it asks. */
export class SingleServer {
  #settings: ConnectionSettings;
  #lease: Lease | null = null;
  #owner: RemoteOwner | null = null;
  #followed: { state: ConnectionState; capabilities: Readonly<Record<string, unknown>> | null } = {
    state: CONNECTING,
    capabilities: null,
  };
  readonly #closed = new AbortController();
  /** Called when this instance runs the process or hears from the one that does, and when the state of that changes. */
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<void>;
  /** How often this instance's clients subscribe to each resource. */
  readonly #subscribed = new Map<string, number>();
  /** The log level that each instance wants, by its id. */
  readonly #levels = new Map<string, string>();
  #level: string | null = null;

  constructor(
    private readonly ports: SingleServerPorts,
    settings: ConnectionSettings,
  ) {
    this.#settings = settings;
    this.#ended = this.#run();
  }

  get isOwner(): boolean {
    return this.#lease !== null;
  }

  get state(): ConnectionState {
    if (!this.#settings.enabled) return DISABLED_CONNECTION;
    return this.isOwner ? (this.ports.inner.state(this.#name) ?? CONNECTING) : this.#followed.state;
  }

  get capabilities(): Readonly<Record<string, unknown>> | null {
    return this.isOwner ? this.ports.inner.capabilities(this.#name) : this.#followed.capabilities;
  }

  get #name(): string {
    return this.#settings.name;
  }

  apply(settings: ConnectionSettings): void {
    this.#settings = settings;
    if (this.isOwner) this.ports.inner.apply(settings);
    this.#report();
  }

  async ready(signal?: AbortSignal): Promise<ConnectionState> {
    while (!signal?.aborted && !this.#closed.signal.aborted && this.#settings.enabled) {
      if (this.isOwner) return await this.ports.inner.ready(this.#name, signal);
      const { status } = this.#followed.state;
      if (this.#owner !== null && status !== "connecting" && status !== "disconnected") break;
      await waitUntilAborted(this.#nextChange(), signal);
    }
    return this.state;
  }

  reconnect(): Promise<ConnectionState> {
    return this.use(
      () => this.ports.inner.reconnect(this.#name),
      (owner) => owner.send<ConnectionState>({ op: "reconnect", server: this.#name }),
    );
  }

  /** Uses the process at any instance. @throws ToolFailure */
  async use<T>(here: () => Promise<T>, there: (owner: RemoteOwner) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      const owner = await this.#findOwner(signal);
      try {
        return await (owner === null ? here() : there(owner));
      } catch (error) {
        if ((error as Error).name !== "NotTaken") throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /** The offers of the server beside tools, wherever its process runs. */
  readonly content: ServerContent = {
    list: (list, signal) =>
      this.use(
        () => this.#inner((content) => content.list(list, signal)),
        (owner) => owner.send<Record<string, unknown>[]>({ op: "list", server: this.#name, list }, signal),
        signal,
      ),
    request: (method, params, context) =>
      this.use(
        () => this.#inner((content) => content.request(method, params, context)),
        (owner) => owner.run<Record<string, unknown>>({ op: "request", method, params }, context),
        context.signal,
      ),
    ask: (method, params, signal) =>
      this.use(
        () => this.#inner((content) => content.ask(method, params, signal)),
        (owner) => owner.send<Record<string, unknown>>({ op: "ask", server: this.#name, method, params }, signal),
        signal,
      ),
    // Another instance of Toolroom knows the answer, which is not worth a request.
    isPublic: async (method) => this.isOwner && (await this.#inner((content) => content.isPublic(method))),
    notify: (method, params) =>
      this.use(
        () => this.#inner((content) => content.notify(method, params)),
        (owner) => owner.send<void>({ op: "notify", server: this.#name, method, params }),
      ),
    subscribe: async (uri) => {
      const count = this.#subscribed.get(uri) ?? 0;
      this.#subscribed.set(uri, count + 1);
      if (count > 0) return;
      await this.#subscribe(uri).catch((error: unknown) => {
        this.#subscribed.delete(uri);
        throw error;
      });
    },
    unsubscribe: async (uri) => {
      const count = this.#subscribed.get(uri) ?? 0;
      if (count > 1) this.#subscribed.set(uri, count - 1);
      if (count !== 1) return;
      this.#subscribed.delete(uri);
      if (this.isOwner) return await this.#inner((content) => content.unsubscribe(uri));
      await this.#owner?.send({ op: "unsubscribe", server: this.#name, from: this.#self, uri });
    },
    setLogLevel: async (level) => {
      this.#level = level;
      if (this.isOwner) await this.setLevel(this.#self, level);
      else await this.#owner?.send({ op: "log_level", server: this.#name, from: this.#self, level });
    },
  };

  /** The server gets the lowest level that an instance wants. @param level null where the instance wants none any more */
  async setLevel(from: string, level: string | null): Promise<void> {
    if (level === null) this.#levels.delete(from);
    else this.#levels.set(from, level);
    const wanted = [...this.#levels.values()].map((each) => getSeverity(each) ?? 0);
    const lowest = wanted.length === 0 ? undefined : PROTOCOL_LEVELS[Math.min(...wanted)];
    if (lowest !== undefined) await this.#inner((content) => content.setLogLevel(lowest));
  }

  /** Ends the process where this instance runs it. */
  async close(): Promise<void> {
    this.#closed.abort(new Error("closed"));
    this.#report();
    await this.#ended;
  }

  get #self(): string {
    return this.ports.forwarding.copies.self.id;
  }

  #inner<T>(work: (content: ServerContent) => Promise<T>): Promise<T> {
    return this.ports.inner.content(this.#name, work);
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.isOwner) await this.#inner((content) => content.subscribe(uri));
    else await this.#owner?.send({ op: "subscribe", server: this.#name, from: this.#self, uri });
  }

  #report(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Null where this instance runs the process. @throws ToolFailure */
  async #findOwner(signal?: AbortSignal): Promise<RemoteOwner | null> {
    const name = this.#name;
    while (!signal?.aborted && !this.#closed.signal.aborted) {
      if (!this.#settings.enabled) throw new ToolFailure("unavailable", `Server '${name}' is disabled`);
      if (this.isOwner) return null;
      if (this.#owner !== null) return this.#owner;
      await waitUntilAborted(this.#nextChange(), signal);
    }
    throw new ToolFailure("unavailable", `Server '${name}' is unavailable: no copy of Toolroom runs it yet`);
  }

  /** Runs the process or follows the instance that does, until it is closed. */
  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const lease = await this.ports.locks.acquire(`server:${this.#name}`, LEASE_MS);
        if (lease === null) await this.#follow();
        else await this.#own(lease);
      } catch (error) {
        this.ports.logger.debug({ server: this.#name, error: getMessage(error) }, "A shared server has no owner");
      }
      if (!signal.aborted) await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #own(lease: Lease): Promise<void> {
    const { inner, events } = this.ports;
    const name = this.#name;
    this.#lease = lease;
    inner.apply(this.#settings);
    this.#report();
    void this.#restore();
    await new Promise<void>((resolve) => {
      for (const end of [lease.signal, this.#closed.signal]) {
        if (end.aborted) resolve();
        else end.addEventListener("abort", () => resolve(), { once: true });
      }
    });
    await inner.remove(name);
    this.#lease = null;
    this.#levels.clear();
    await lease.release();
    if (!this.#closed.signal.aborted) this.#take({ state: CONNECTING }, events);
  }

  async #follow(): Promise<void> {
    const { bulletin, forwarding, events } = this.ports;
    const { copies } = forwarding;
    const server = this.#name;
    const [id] = await bulletin.ask(WHO_RUNS, { server }, undefined, () => true);
    const copy = copies.list().find((each) => each.id === id);
    if (copy === undefined) return;
    const lost = new AbortController();
    const onClose = (): void => lost.abort(new Error("closed"));
    this.#closed.signal.addEventListener("abort", onClose, { once: true });
    // An instance that stands still keeps its connections open.
    const check = setInterval(() => !copies.isLiving(copy.id) && lost.abort(new Error("lost")), CHECK_OWNER_MS);
    check.unref();
    const owner = new RemoteOwner(forwarding, server, copy, lost.signal);
    try {
      await owner.follow((news) => {
        if (this.#owner === null) {
          this.#owner = owner;
          void this.#restore();
        }
        this.#take(news, events);
      });
    } finally {
      clearInterval(check);
      this.#closed.signal.removeEventListener("abort", onClose);
      this.#owner = null;
      // Calls that its process runs have ended with it.
      lost.abort(new Error("the owner has ended"));
      if (!this.#closed.signal.aborted) this.#take({ state: CONNECTING }, events);
    }
  }

  /** Another process knows nothing of what this instance's clients subscribed to. */
  async #restore(): Promise<void> {
    const uris = [...this.#subscribed.keys()];
    try {
      if (this.#level !== null) await this.content.setLogLevel(this.#level);
      for (const uri of uris) await this.#subscribe(uri);
    } catch (error) {
      this.ports.logger.debug({ server: this.#name, error: getMessage(error) }, "A subscription was not restored");
    }
    for (const uri of uris) this.ports.events.onContent(this.#name, { type: "updated", uri });
  }

  #take({ state, capabilities, tools, content }: FollowedNews, events: McpConnectionEvents): void {
    if (capabilities !== undefined) this.#followed = { ...this.#followed, capabilities };
    // Sent before the state: a caller that waits for the server then finds its tools.
    if (tools !== undefined) events.onTools(this.#name, tools);
    if (state !== undefined) {
      this.#followed = { ...this.#followed, state };
      if (this.#settings.enabled) events.onState(this.#name, state);
    }
    if (content !== undefined) events.onContent(this.#name, content);
    this.#report();
  }
}

const CONNECTING: ConnectionState = { ...DISABLED_CONNECTION, ...NO_CONNECTION, status: "connecting" };
