import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { ToolCallResult } from "../../../lib/contract/content";
import { ToolFailure } from "../../engine/failures";
import type { ApiConnectionSettings, ConnectionSettings, ServerContent } from "../../engine/mcp-ports";
import type { ToolContext } from "../../engine/ports";
import type { PlainConnections } from "./personal/user-pool";
import { isApiSettings } from "./session/resolve-settings";

/** Servers that are HTTP APIs: tools only. */
export type ApiConnections = Pick<
  PlainConnections,
  "remove" | "reconnect" | "ready" | "state" | "log" | "messages" | "call" | "close"
> & {
  has(server: string): boolean;
  apply(settings: ApiConnectionSettings): void;
};

/** Sends each use of a server to the connections of its kind. */
export class RoutedConnections implements PlainConnections {
  readonly #mcp: PlainConnections;
  readonly #api: ApiConnections;

  constructor(mcp: PlainConnections, api: ApiConnections) {
    this.#mcp = mcp;
    this.#api = api;
  }

  apply(settings: ConnectionSettings): void {
    const isApi = isApiSettings(settings);
    // A server may have been of the other kind before.
    void (isApi ? this.#mcp : this.#api).remove(settings.name);
    if (isApi) this.#api.apply(settings);
    else this.#mcp.apply(settings);
  }

  async remove(server: string): Promise<void> {
    await Promise.all([this.#api.remove(server), this.#mcp.remove(server)]);
  }

  reconnect = (server: string): Promise<ConnectionState> => this.#of(server).reconnect(server);
  ready = (server: string, signal?: AbortSignal): Promise<ConnectionState> => this.#of(server).ready(server, signal);
  state = (server: string): ConnectionState | null => this.#of(server).state(server);
  log = (server: string) => this.#of(server).log(server);
  messages = (server: string) => this.#of(server).messages(server);

  call(server: string, tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolCallResult> {
    return this.#of(server).call(server, tool, args, context);
  }

  capabilities = (server: string) => (this.#api.has(server) ? API_CAPABILITIES : this.#mcp.capabilities(server));

  content<T>(server: string, work: (content: ServerContent) => Promise<T>): Promise<T> {
    return this.#api.has(server) ? work(noContent(server)) : this.#mcp.content(server, work);
  }

  startSignIn = async (server: string, redirectUrl: string, returnTo: string | null = null) =>
    this.#onlyMcp(server).startSignIn(server, redirectUrl, returnTo);
  finishSignIn = (params: URLSearchParams) => this.#mcp.finishSignIn(params);
  signOut = async (server: string) => this.#onlyMcp(server).signOut(server);
  signedIn = (server: string): boolean => !this.#api.has(server) && this.#mcp.signedIn(server);

  async close(): Promise<void> {
    await Promise.all([this.#mcp.close(), this.#api.close()]);
  }

  #of(server: string): Omit<ApiConnections, "apply" | "has"> {
    return this.#api.has(server) ? this.#api : this.#mcp;
  }

  #onlyMcp(server: string): PlainConnections {
    if (this.#api.has(server)) throw toolsOnly(server);
    return this.#mcp;
  }
}

const API_CAPABILITIES = { tools: {} };

const toolsOnly = (server: string): ToolFailure =>
  new ToolFailure("tool_error", `Server '${server}' is an HTTP API: it has tools only`);

function noContent(server: string): ServerContent {
  const rejectContent = (): Promise<never> => Promise.reject(toolsOnly(server));
  const ignore = async (): Promise<void> => undefined;
  return {
    list: async () => [],
    request: rejectContent,
    ask: rejectContent,
    notify: rejectContent,
    isPublic: async () => false,
    subscribe: rejectContent,
    unsubscribe: ignore,
    setLogLevel: ignore,
  };
}
