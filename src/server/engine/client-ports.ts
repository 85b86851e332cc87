import type { Principal } from "../../lib/contract/access";
import type { CheckedClient } from "../../lib/contract/client-verdict";
import type { ListedTool } from "./registry/list-tool";

/** The part of the catalog that an address serves. */
export interface ViewQuery {
  /** `/mcp/<server>`: the tools of that server only. */
  server: string | null;
  /** `?names=plain`: tools under their servers' own names for them, with several servers where only one tool has it. */
  plainNames: boolean;
  /** The names in `?tools=a,b`. A name that no tool has is ignored: its tool may come later. */
  tools: readonly string[] | null;
  /** `?servers=a,b`: the tools of these servers only. A name that no server has is ignored: its server may come later. */
  servers?: readonly string[];
  /** `/mcp/sets/<name>`: the tools of that toolset, as it shows them. */
  toolset?: string;
  /** `?for=gemini`: parameters in the form that this client reads whole. */
  form?: CheckedClient;
  /** Set for requests that the stdio bridge forwards. */
  transport?: "stdio";
}

export interface ServedTool {
  definition: { name: string };
  listed: ListedTool;
}

/** The view for one caller at one address. */
export interface ServedView {
  /** The same key for the same address and caller. */
  readonly key: string;
  readonly query: ViewQuery;
  /** A cassette in place of the catalog, which leaves nothing of it out. */
  readonly isRecorded: boolean;
  readonly principal: Principal;
  /** The listed tools; the same array until the catalog changes. */
  listed(): readonly ServedTool[];
  /** Finds a tool by the listed name or by the catalog's. */
  find(name: string): object | undefined;
  /** Whether a tool of this name in the catalog would belong here. */
  admits(name: string): boolean;
  catalogName(name: string): string;
}

/** The client of a session, or of stateless requests that say the same of themselves. */
export interface ClientPeer {
  /** Null in the stateless protocol. */
  sessionId: string | null;
  /** The client's own description, as it was sent. */
  clientInfo: unknown;
  protocol: string;
  view: ServedView;
}

/** Observes clients and the lists that they get. Requests call it, so it must return at once. `seen`: a session began, or a client sent server/discover or tools/call. */
export interface ClientObserver {
  seen(peer: ClientPeer): void;
  /** Notes that the client received the first page of its list. */
  listed(peer: ClientPeer): void;
  /** The client called a tool. @param call its execution, which begins now */
  called(peer: ClientPeer, call: { id: string; tool: string }): void;
  /** The server notified the client that its list has changed. */
  noticed(peer: ClientPeer): void;
  ended(peer: ClientPeer): void;
}
