import type { Actor } from "../../../../lib/contract/actor";
import type { ExecutionEnvelope } from "../../../../lib/contract/envelope";
import type { DeclaredExtensions } from "../../../../lib/mcp-extensions";
import type { ExecuteOptions } from "../../../engine/executor/tool-executor";
import type { ContentChange, ContentList } from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";

/** The caller and the servers of requested resources and prompts. The same object means the same answer. */
export interface ContentScope {
  actor: Pick<Actor, "id">;
  servers: readonly string[];
  /** The address belongs to one server: its URIs stay unchanged. */
  own: boolean;
  plainNames: boolean;
}

export interface CacheHints {
  ttlMs: number;
  cacheScope: "public" | "private";
}

export interface RelayedExtensions extends DeclaredExtensions {
  /** The server that methods of these extensions are relayed to; null where there are none. */
  server: string | null;
}

/** Resources, prompts, completions and extensions of the connected servers. */
export interface GatewayContent {
  declared(scope: ContentScope): {
    resources: boolean;
    subscribe: boolean;
    prompts: boolean;
    completions: boolean;
    skills: boolean;
  };
  /** Every entry as clients know it, in the order of names. Servers that do not answer are left out. */
  list(scope: ContentScope, list: ContentList): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Returns the server of a URI; the URIs to choose from where it means several, null where none. */
  resolve(
    scope: ContentScope,
    uri: string,
    options?: { template?: boolean },
  ): Promise<{ server: string; uri: string } | { ambiguous: readonly string[] } | null>;
  resolvePrompt(scope: ContentScope, name: string): Promise<{ server: string; name: string } | null>;
  /** Recorded like calls. Neither rejects. */
  read(server: string, uri: string, options: ExecuteOptions): Promise<ExecutionEnvelope>;
  getPrompt(server: string, name: string, args: unknown, options: ExecuteOptions): Promise<ExecutionEnvelope>;
  /** How long clients may keep a list, and whether caches may share it among users. */
  cacheOf(scope: ContentScope, method: string): Promise<CacheHints>;
  /** The entry of one skill as its server has it now. @throws ToolFailure */
  getSkill(
    scope: ContentScope,
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** The extensions of the scope's only server, at its own address; empty at every other. */
  extensions(scope: ContentScope): RelayedExtensions;
  /** Sends a request of an extension unchanged. @throws ToolFailure */
  relay(
    server: string,
    method: string,
    params: Record<string, unknown>,
    context: ToolContext,
  ): Promise<Record<string, unknown>>;
  /** @throws ToolFailure */
  notify(server: string, method: string, params: Record<string, unknown>, actor: Pick<Actor, "id">): Promise<void>;
  /** @throws ToolFailure */
  complete(
    server: string,
    params: Record<string, unknown>,
    actor: Pick<Actor, "id">,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>>;
  /** Maps a result to the URIs that the scope's clients know; returns the result itself where none differs. */
  mapResult(scope: ContentScope, server: string, result: Record<string, unknown>): Record<string, unknown>;
  /**
   * Shared by all who subscribe to the same resource. @returns the function that ends it
   * @throws ToolFailure where the server refuses
   */
  subscribe(server: string, uri: string, actor: Pick<Actor, "id">): Promise<() => void>;
  /** Never rejects. */
  setLogLevel(server: string, level: string, actor: Pick<Actor, "id">): Promise<void>;
  /** @returns the function that ends it */
  listen(listener: (server: string, change: ContentChange, user?: string) => void): () => void;
}
