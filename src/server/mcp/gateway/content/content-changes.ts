import type { LoggingLevel } from "@modelcontextprotocol/server";
import { explainDenial } from "../../../../lib/contract/access";
import type { ContentChange } from "../../../engine/mcp-ports";
import { withinMs } from "../../../platform/shared/within-ms";
import { getSeverity, PROTOCOL_LEVELS } from "../../fast-path/call-context";
import { upstreamMeta } from "../call-message";
import type { CatalogServer } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import type { GatewayPorts } from "../gateway-ports";
import type { GatewaySession } from "../gateway-session";
import { type ListeningStream, ViewEventBus } from "../view-event-bus";
import type { GatewayContent } from "./content-port";
import { contentScope } from "./content-scope";
import { ClientSubscriptions, MAX_SUBSCRIPTIONS } from "./content-subscriptions";

type ListChange = "resources" | "prompts";

const SET_LEVEL_LIMIT_MS = 2_000;

/** Passes notifications of servers to clients: changed lists, updated resources, log messages outside of calls. */
export class ContentChanges {
  readonly bus: ViewEventBus;
  readonly #subscriptions = new Map<CatalogServer, ClientSubscriptions>();
  readonly #streams = new Map<(event: never) => void, ClientSubscriptions>();
  /** Servers whose lists changed, until their clients are notified. */
  readonly #changed = new Map<string, { server: string; type: ListChange; person: string | undefined }>();
  readonly #endListening: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ports: GatewayPorts,
    private readonly content: GatewayContent,
    private readonly sessions: () => Iterable<GatewaySession>,
    private readonly debounceMs: number,
  ) {
    this.bus = new ViewEventBus((stream, listener) => this.#follow(stream, listener));
    this.#endListening = content.listen((...told) => this.#take(...told));
  }

  stop(): void {
    this.#endListening();
    clearTimeout(this.#timer);
    for (const subscriptions of this.#subscriptions.values()) subscriptions.end();
    this.#subscriptions.clear();
  }

  /** The subscriptions of a session; they end with it. */
  createSubscriptions(server: CatalogServer, view: CatalogView): ClientSubscriptions {
    const known = this.#subscriptions.get(server);
    if (known !== undefined) return known;
    const created = new ClientSubscriptions(view, this.content);
    this.#subscriptions.set(server, created);
    server.onclose = () => {
      this.#subscriptions.delete(server);
      created.end();
    };
    return created;
  }

  /**
   * A session has set its level: each server gets the lowest of those whose sessions see it. Resolves once the servers
   * have it, so that the client's next call runs under it; a server that does not answer delays the client no longer.
   */
  async logLevelSet(): Promise<void> {
    const lowest = new Map<string, { server: string; person: string; level: number }>();
    for (const { view, server } of this.sessions()) {
      const level = getSeverity(server.logLevel);
      if (level < 0) continue;
      const { servers, actor } = contentScope(view, this.ports);
      for (const name of servers) {
        const key = JSON.stringify([name, actor.id]);
        const before = lowest.get(key)?.level ?? level;
        lowest.set(key, { server: name, person: actor.id, level: Math.min(before, level) });
      }
    }
    const shared = new Map<string, number>();
    for (const { server, level } of lowest.values()) shared.set(server, Math.min(shared.get(server) ?? level, level));
    const set = [...lowest.values()].map(({ server, person }) =>
      this.content.setLogLevel(server, PROTOCOL_LEVELS[shared.get(server) ?? 0] as string, { id: person }),
    );
    await withinMs(Promise.all(set), SET_LEVEL_LIMIT_MS);
  }

  #take(server: string, change: ContentChange, user?: string): void {
    if (change.type === "updated") this.#tellUpdated(server, change.uri, user);
    else if (change.type === "log") this.#tellLog(server, change.message, user);
    else if (change.type === "foreign") this.#tellForeign(server, change, user);
    else if (change.type !== "opened") {
      this.#changed.set(JSON.stringify([server, change.type, user]), { server, type: change.type, person: user });
      this.#timer ??= setTimeout(() => this.#tellLists(), this.debounceMs);
    }
  }

  #tellLists(): void {
    this.#timer = undefined;
    const changes = [...this.#changed.values()];
    this.#changed.clear();
    for (const type of ["resources", "prompts"] as const) {
      const ofType = changes.filter((change) => change.type === type);
      const isMeant = (view: CatalogView): boolean =>
        ofType.some(({ server, person }) => this.#sees(view, server, person));
      for (const { view, server } of this.sessions()) {
        if (!isMeant(view)) continue;
        const telling = type === "resources" ? server.sendResourceListChanged() : server.sendPromptListChanged();
        telling.catch(ignore);
      }
      if (ofType.length > 0) this.bus.publishTo(isMeant, { kind: `${type}_list_changed` });
    }
  }

  #tellUpdated(server: string, uri: string, user: string | undefined): void {
    for (const [session, subscriptions] of this.#subscriptions) {
      if (!this.#sees(subscriptions.view, server, user)) continue;
      for (const clientUri of subscriptions.concernedBy(server, uri)) {
        session.sendResourceUpdated({ uri: clientUri }).catch(ignore);
      }
    }
    for (const [listener, subscriptions] of this.#streams) {
      if (!this.#sees(subscriptions.view, server, user)) continue;
      for (const clientUri of subscriptions.concernedBy(server, uri)) {
        listener({ kind: "resource_updated", uri: clientUri } as never);
      }
    }
  }

  #tellLog(server: string, { level, logger, data }: LogMessage, user: string | undefined): void {
    if (getSeverity(level) < 0) return;
    for (const session of this.sessions()) {
      if (!session.server.wantsLogs || !this.#sees(session.view, server, user)) continue;
      // For an address with several servers, the logger names the server.
      const named = session.view.query.server === null ? [server, logger].filter(Boolean).join("__") : logger;
      const message = { level: level as LoggingLevel, data, ...(named === undefined ? {} : { logger: named }) };
      session.server.sendLoggingMessage(message, session.id).catch(ignore);
    }
  }

  /** Notifies only clients that listen: the number of notifications that wait for a stream would have no limit. */
  #tellForeign(server: string, { method, params }: ForeignNotification, user: string | undefined): void {
    const notification = { method, params: withoutConnectionMeta(params) };
    const isMeant = (view: CatalogView): boolean =>
      view.query.server !== null && this.#sees(view, server, user) && explainDenial(view.principal, "run") === null;
    for (const { view, server: session, transport } of this.sessions()) {
      if (transport.isListening && isMeant(view)) session.notification(notification).catch(ignore);
    }
    this.bus.publishTo(isMeant, { kind: "foreign", ...notification });
  }

  #sees(view: CatalogView, server: string, user: string | undefined): boolean {
    const { servers, actor } = contentScope(view, this.ports);
    return servers.includes(server) && (user === undefined || user === actor.id);
  }

  /**
   * Subscribes for a stream of the stateless protocol. A resource that no server offers, or that its server refuses,
   * sends no notifications.
   */
  #follow({ view, uris }: ListeningStream, listener: (event: never) => void): () => void {
    const subscriptions = new ClientSubscriptions(view, this.content);
    this.#streams.set(listener, subscriptions);
    const scope = contentScope(view, this.ports);
    const allowed = explainDenial(view.principal, "run") === null;
    for (const uri of allowed ? uris.slice(0, MAX_SUBSCRIPTIONS) : []) {
      void this.content
        .resolve(scope, uri)
        .then((found) => (found === null || "ambiguous" in found ? undefined : subscriptions.add(uri, found, scope)))
        .catch((error: unknown) => this.ports.logger.debug({ error: String(error) }, "Gateway: not subscribed"));
    }
    return () => {
      this.#streams.delete(listener);
      subscriptions.end();
    };
  }
}

type ForeignNotification = Extract<ContentChange, { type: "foreign" }>;

/** The protocol's own keys name streams and requests of the connection to the server. */
function withoutConnectionMeta({ _meta: meta, ...params }: Record<string, unknown>): Record<string, unknown> {
  const kept = upstreamMeta(meta);
  return kept === undefined ? params : { ...params, _meta: kept };
}

type LogMessage = Extract<ContentChange, { type: "log" }>["message"];

/** Discards messages for a closed session. */
function ignore(): void {}
