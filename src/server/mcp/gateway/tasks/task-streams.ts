import type { IncomingMessage, ServerResponse } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InboundModernRoute,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type ServerCapabilities,
  type ServerEvent,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../../lib/contract/json";
import { listRelayedExtensions } from "../../../../lib/mcp-extensions";
import { TASKS_EXTENSION } from "../../../../lib/mcp-tasks";
import { readEnvelope } from "../../fast-path/call-context";
import { isPlainRequest } from "../../fast-path/choose-path";
import { type Heartbeat, HttpExchange } from "../../fast-path/http-exchange";
import type { CatalogServer } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import { listenedExtensions, listenedTaskIds, listenedUris, listeningPeer } from "../gateway-requests";
import type { ForeignEvent, ViewEventBus } from "../view-event-bus";
import { type GatewayTasks, hasEnded, knowsTasks } from "./gateway-tasks";
import { toDetailedTask } from "./task-handlers";

const MAX_STREAMS = 1000;
const MAX_TASKS = 100;

/** The other changes that a client can subscribe to: by the bus's name for it, the filter's name and the notification. */
const CHANGES = {
  tools_list_changed: ["toolsListChanged", "notifications/tools/list_changed"],
  prompts_list_changed: ["promptsListChanged", "notifications/prompts/list_changed"],
  resources_list_changed: ["resourcesListChanged", "notifications/resources/list_changed"],
  resource_updated: ["resourceSubscriptions", "notifications/resources/updated"],
} as const;

interface Filter extends Partial<Record<(typeof CHANGES)[keyof typeof CHANGES][0], boolean | readonly string[]>> {
  taskIds?: readonly string[];
}

type Push = (method: string, params: object) => void;

interface Ports {
  heartbeat: Heartbeat;
  tasks: GatewayTasks;
  /** Null where nothing is published. */
  bus: ViewEventBus | null;
  pollMs: number;
  createServer(view: CatalogView): CatalogServer;
}

interface Exchange {
  view: CatalogView;
  request: IncomingMessage;
  response: ServerResponse;
  /** Whether the client reads a stream of events. */
  streams: boolean;
}

/** The streams of `subscriptions/listen` that name tasks or extensions, which the SDK's own streams know nothing of. */
export class TaskStreams {
  /** The functions that end each open stream. */
  readonly #open = new Set<() => void>();

  constructor(private readonly ports: Ports) {}

  /** Serves a request that names tasks or extensions and is in order; false for every other one. */
  async take({ view, request, response, streams }: Exchange, route: InboundModernRoute): Promise<boolean> {
    const { message } = route;
    if (!streams || !isJSONRPCRequest(message)) return false;
    const wantsTasks = listenedTaskIds(message).length > 0;
    if (!wantsTasks && Object.keys(listenedExtensions(message)).length === 0) return false;
    if (!isPlainRequest(route, request.headers, "subscriptions/listen")) return false;
    const server = this.ports.createServer(view);
    if (!server.acceptsEnvelope(readEnvelope(message))) return false;
    if (!wantsTasks && listRelayedExtensions(server.getCapabilities()).length === 0) return false;
    await this.#serve(server, view, message, response);
    return true;
  }

  async #serve(
    server: CatalogServer,
    view: CatalogView,
    message: JSONRPCRequest,
    response: ServerResponse,
  ): Promise<void> {
    const { heartbeat, tasks, bus, pollMs } = this.ports;
    const exchange = new HttpExchange(response, { expected: 1, batch: false, streams: true, sessionId: undefined });
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: message.id };
    const answer = (body: object): void =>
      exchange.answer([JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body })]);
    const push: Push = (method, params) => {
      const { _meta: own } = params as { _meta?: object };
      void exchange.push({
        jsonrpc: "2.0",
        method,
        params: { ...params, _meta: { ...own, ..._meta } },
      } as JSONRPCMessage);
    };
    const wantsTasks = listenedTaskIds(message).length > 0;
    if (wantsTasks && !knowsTasks(readEnvelope(message)?.[CLIENT_CAPABILITIES_META_KEY], TASKS_EXTENSION)) {
      const error = {
        code: -32_021,
        message: "params.notifications.taskIds needs the extension in the request's clientCapabilities",
        data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
      };
      return exchange.answer([JSON.stringify({ jsonrpc: "2.0", id: message.id, error })], 400);
    }
    if (this.#open.size >= MAX_STREAMS)
      return answer({ error: { code: -32_603, message: "Subscription limit reached" } });
    heartbeat.add(exchange, response);
    const caller = { view, sessionId: null };
    const awaited = new Set<string>();
    const capabilities = bus === null ? {} : server.getCapabilities();
    const extensions = listRelayedExtensions(capabilities).length === 0 ? {} : listenedExtensions(message);
    const filter: Filter & Record<string, unknown> = { ...extensions, ...honoredChanges(message, capabilities) };
    const wantsForeign = Object.keys(extensions).length > 0;
    let telling = Promise.resolve();
    const stops: (() => void)[] = [];
    const end = (): void => {
      if (!this.#open.delete(end)) return;
      for (const stop of stops) stop();
      answer({ result: server.encode("subscriptions/listen", { _meta }) });
    };
    /** Notifies in the order of events, with the state at the time of sending. */
    const tell = (id: string): void => {
      telling = telling
        .then(async () => {
          const found = await tasks.find(id, caller);
          push("notifications/tasks", await toDetailedTask(found, server, caller, tasks, pollMs));
          if (hasEnded(found.state.status)) awaited.delete(id);
        })
        // The task has expired.
        .catch(() => void awaited.delete(id))
        .then(() => {
          if (awaited.size === 0 && Object.keys(filter).length === 0) end();
        });
    };
    const ids = await this.#own(listenedTaskIds(message), caller);
    for (const id of ids) awaited.add(id);
    this.#open.add(end);
    response.once("close", end);
    push("notifications/subscriptions/acknowledged", {
      notifications: ids.length === 0 ? filter : { ...filter, taskIds: ids },
    });
    stops.push(tasks.listen((id) => awaited.has(id) && tell(id)));
    if (Object.keys(filter).length > 0) stops.push(this.#follow(view, message, { filter, wantsForeign }, push));
    // Sends the events from before the client subscribed.
    for (const id of ids) tell(id);
    if (ids.length === 0 && Object.keys(filter).length === 0) end();
  }

  close(): void {
    for (const end of [...this.#open]) end();
  }

  /** The tasks that the caller may follow and that this process receives events for. */
  async #own(ids: readonly string[], caller: { view: CatalogView; sessionId: null }): Promise<string[]> {
    const found = await Promise.all(
      ids.slice(0, MAX_TASKS).map(async (id) => {
        const task = await this.ports.tasks.find(id, caller).catch(() => null);
        return task !== null && (task.running !== null || hasEnded(task.state.status)) ? [id] : [];
      }),
    );
    return found.flat();
  }

  #follow(
    view: CatalogView,
    message: JSONRPCRequest,
    { filter, wantsForeign }: { filter: Filter; wantsForeign: boolean },
    push: Push,
  ) {
    const { bus } = this.ports;
    const hear = (event: ServerEvent | ForeignEvent): void => {
      if (event.kind === "foreign") {
        if (wantsForeign) push(event.method, event.params);
        return;
      }
      const [name, method] = CHANGES[event.kind];
      const wanted = filter[name];
      if (event.kind !== "resource_updated") {
        if (wanted === true) push(method, {});
      } else if (Array.isArray(wanted) && wanted.includes(event.uri)) push(method, { uri: event.uri });
    };
    return (
      bus?.serve({ view, uris: listenedUris(message), peer: listeningPeer(message, view) }, () =>
        bus.subscribe(hear),
      ) ?? (() => undefined)
    );
  }
}

/** Returns the part of a request's filter that the address can deliver, tasks apart. */
function honoredChanges({ params }: JSONRPCRequest, { tools, prompts, resources }: ServerCapabilities): Filter {
  const wanted = isPlainObject(params?.notifications) ? params.notifications : {};
  const uris = listenedUris({ method: "subscriptions/listen", params });
  return {
    ...(wanted.toolsListChanged === true && tools?.listChanged && { toolsListChanged: true }),
    ...(wanted.promptsListChanged === true && prompts?.listChanged && { promptsListChanged: true }),
    ...(wanted.resourcesListChanged === true && resources?.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && resources?.subscribe && { resourceSubscriptions: uris }),
  };
}
