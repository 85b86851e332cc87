import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import type { ExecutionEnvelope } from "../../../../lib/contract/envelope";
import { isPlainObject } from "../../../../lib/contract/json";
import { type DeclaredExtensions, SKILLS_EXTENSION } from "../../../../lib/mcp-extensions";
import { CallArguments } from "../../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../../engine/executor/tool-executor";
import type { ContentList } from "../../../engine/mcp-ports";
import { STATELESS_PROTOCOL } from "../../fast-path/sdk-server";
import { awaitFirstLists } from "../await-first-lists";
import { toRetryMeta, upstreamMeta, withoutServerInfo } from "../call-message";
import { type CatalogServer, getPeer, type ServedContent } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import { nameOfCursor, toCursor } from "../catalog/list-cursor";
import type { GatewayCalls } from "../gateway-calls";
import type { GatewayPorts } from "../gateway-ports";
import type { ExtensionRelay } from "../relay/extension-relay";
import { relayedError } from "../relayed-error";
import type { ContentChanges } from "./content-changes";
import type { CacheHints, GatewayContent } from "./content-port";
import { contentScope, findUiServer, hasUi } from "./content-scope";
import { MAX_SUBSCRIPTIONS } from "./content-subscriptions";
import { toProtocolError } from "./to-protocol-error";

type Params = Record<string, unknown>;
type Entry = Readonly<Record<string, unknown>>;

const PAGE_ENTRIES = 1000;
/** The approximate size of a page's JSON. */
const PAGE_CHARS = 2_000_000;
const MAX_URI_CHARS = 16_384;
const MAX_NAME_CHARS = 512;
/** The code of the 2025 revisions; 2026-07-28 has none of its own. */
const RESOURCE_NOT_FOUND = -32_002;
const NO_ARGUMENTS = CallArguments.from(undefined);

const METHODS: Readonly<Record<ContentList, string>> = {
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
  skills: "skills/list",
};

interface PerformedRequest {
  peer: ReturnType<typeof getPeer>;
  /** The name under which the execution is recorded. */
  name: string;
  server: string;
  send(options: ExecuteOptions): Promise<ExecutionEnvelope>;
}

/** Serves resources, prompts and completions of the servers behind an address. */
export class ContentHandlers {
  constructor(
    private readonly ports: GatewayPorts,
    private readonly content: GatewayContent,
    private readonly calls: GatewayCalls,
    private readonly changes: ContentChanges,
    private readonly relay: ExtensionRelay,
  ) {}

  /** @param resumed an earlier process sent the client its capabilities, and may have had more servers */
  of(view: CatalogView, { resumed }: { resumed: boolean }): ServedContent {
    const declared = this.content.declared(contentScope(view, this.ports));
    const resources = resumed || declared.resources;
    const prompts = resumed || declared.prompts;
    const completions = resumed || declared.completions;
    const capabilities: ServerCapabilities = {
      ...(resources
        ? { resources: { listChanged: true, ...((resumed || declared.subscribe) && { subscribe: true }) } }
        : hasUi(view) && { resources: {} }),
      ...(prompts && { prompts: { listChanged: true } }),
      ...(completions && { completions: {} }),
      ...(toDeclared(this.relay.declared(view), resumed || (resources && declared.skills)) as ServerCapabilities),
    };
    return {
      capabilities,
      serve: (server) => {
        this.#serve(server, view, capabilities);
        this.relay.serve(server, view);
      },
      cacheOf: (method) => this.#cacheOf(view, method),
      logLevelSet: () => this.changes.logLevelSet(),
    };
  }

  #serve(
    server: CatalogServer,
    view: CatalogView,
    { resources, prompts, completions, extensions }: ServerCapabilities,
  ): void {
    const on: CatalogServer["on"] = (...handled) => server.on(...handled);
    if (resources !== undefined) {
      on("resources/list", (params) => this.#list(server, view, "resources", "uri", params));
      on("resources/templates/list", (params) => this.#list(server, view, "resourceTemplates", "uriTemplate", params));
      on("resources/read", (params, ctx) => this.#read(server, view, params, ctx));
    }
    if (resources?.subscribe === true) {
      on("resources/subscribe", (params, ctx) => this.#subscribe(server, view, params, ctx));
      on("resources/unsubscribe", async (params) => {
        this.changes
          .createSubscriptions(server, view)
          .remove(textParam(params, "uri", MAX_URI_CHARS, "resources/unsubscribe"));
        return {};
      });
    }
    if (prompts !== undefined) {
      on("prompts/list", (params) => this.#list(server, view, "prompts", "name", params));
      on("prompts/get", (params, ctx) => this.#getPrompt(server, view, params, ctx));
    }
    if (extensions !== undefined && Object.hasOwn(extensions, SKILLS_EXTENSION)) {
      on("skills/list", (params) => this.#list(server, view, "skills", "uri", params));
      on("skills/get", (params, ctx) => this.#getSkill(server, view, params, ctx));
    }
    if (completions !== undefined)
      on("completion/complete", (params, ctx) => this.#complete(server, view, params, ctx));
  }

  /** A cache does not know who may read what: it shares lists only where every client is the same user. */
  async #cacheOf(view: CatalogView, method: string): Promise<CacheHints> {
    const { id, token } = view.principal;
    const hints = await this.content.cacheOf(contentScope(view, this.ports), method);
    return id === LOCAL_PRINCIPAL.id && token === null ? hints : { ...hints, cacheScope: "private" };
  }

  async #list(
    server: CatalogServer,
    view: CatalogView,
    list: ContentList,
    key: string,
    { cursor }: Params,
  ): Promise<Result> {
    const after = readPosition(nameOfCursor(cursor));
    await awaitFirstLists(this.ports, view, server.listWaitMs);
    const entries = await this.content.list(contentScope(view, this.ports), list);
    const { page, last } = pageAfter(entries, key, after);
    const hints = server.isStateless ? await this.#cacheOf(view, METHODS[list]) : {};
    return { [list]: page, ...(last !== null && { nextCursor: toCursor(last) }), ...hints };
  }

  async #read(server: CatalogServer, view: CatalogView, params: Params, ctx: ServerContext): Promise<Result> {
    const uri = textParam(params, "uri", MAX_URI_CHARS, "resources/read");
    const peer = getPeer(ctx, server);
    const found = await this.#findResource(view, uri, peer.protocol);
    const read = (options: ExecuteOptions) => this.content.read(found.server, found.uri, options);
    return await this.#perform(view, ctx, { peer, name: `resource ${uri}`, server: found.server, send: read });
  }

  /** Executes a request as a call is, so that it is recorded. */
  async #perform(
    view: CatalogView,
    ctx: ServerContext,
    { peer, name, server, send }: PerformedRequest,
  ): Promise<Result> {
    const scope = contentScope(view, this.ports);
    const perform = async (options: ExecuteOptions): Promise<Result> =>
      this.content.mapResult(scope, server, toResult(await send(options), peer.protocol));
    return await this.calls.call(view, { ...peer, name, args: NO_ARGUMENTS, perform }, ctx);
  }

  /** Clients of the stateless protocol subscribe on a stream instead: `ContentChanges` sees to that. */
  async #subscribe(server: CatalogServer, view: CatalogView, params: Params, ctx: ServerContext): Promise<Result> {
    const uri = textParam(params, "uri", MAX_URI_CHARS, "resources/subscribe");
    const { protocol } = getPeer(ctx, server);
    const found = await this.#findResource(view, uri, protocol);
    const subscriptions = this.changes.createSubscriptions(server, view);
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      const message = `A session may subscribe to ${MAX_SUBSCRIPTIONS} resources at most: unsubscribe from some`;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
    }
    await subscriptions.add(uri, found, contentScope(view, this.ports)).catch((error: unknown) => {
      throw toProtocolError(error, protocol);
    });
    return {};
  }

  /** @throws ProtocolError for a URI that no server of this address offers */
  async #findResource(view: CatalogView, uri: string, protocol: string): Promise<{ server: string; uri: string }> {
    const found = (await this.content.resolve(contentScope(view, this.ports), uri)) ?? findUiServer(view, uri);
    if (found === null) {
      const code = protocol === STATELESS_PROTOCOL ? ProtocolErrorCode.InvalidParams : RESOURCE_NOT_FOUND;
      throw new ProtocolError(code, "Resource not found", { uri });
    }
    return single(found, "uri");
  }

  /** Reads a skill without a record, since the reads of its files are recorded. */
  async #getSkill(server: CatalogServer, view: CatalogView, params: Params, ctx: ServerContext): Promise<Result> {
    const uri = textParam(params, "uri", MAX_URI_CHARS, "skills/get");
    const { protocol } = getPeer(ctx, server);
    const found = await this.#findResource(view, uri, STATELESS_PROTOCOL);
    try {
      const scope = contentScope(view, this.ports);
      const skill = await this.content.getSkill(scope, found.server, found.uri, ctx.mcpReq.signal);
      // A client requests one skill to learn its current digests.
      return { skill, ...(server.isStateless && { ttlMs: 0, cacheScope: "private" }) };
    } catch (error) {
      throw toProtocolError(error, protocol);
    }
  }

  async #getPrompt(server: CatalogServer, view: CatalogView, params: Params, ctx: ServerContext): Promise<Result> {
    const name = textParam(params, "name", MAX_NAME_CHARS, "prompts/get");
    const found = await this.#findPrompt(view, name);
    const get = (options: ExecuteOptions) =>
      this.content.getPrompt(found.server, found.name, params.arguments, options);
    const peer = getPeer(ctx, server);
    return await this.#perform(view, ctx, { peer, name: `prompt ${name}`, server: found.server, send: get });
  }

  async #findPrompt(view: CatalogView, name: string): Promise<{ server: string; name: string }> {
    const found = await this.content.resolvePrompt(contentScope(view, this.ports), name);
    if (found !== null) return found;
    const message = `Prompt '${name.slice(0, 200)}' not found: prompts/list has the names`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }

  /** Completes without a record, since clients send a request with each key press. */
  async #complete(server: CatalogServer, view: CatalogView, params: Params, ctx: ServerContext): Promise<Result> {
    const { ref, _meta: _, ...rest } = params;
    if (!isPlainObject(ref)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "completion/complete needs params.ref, an object");
    }
    const scope = contentScope(view, this.ports);
    let target: { server: string; ref: Params };
    if (ref.type === "ref/prompt") {
      const found = await this.#findPrompt(view, textParam(ref, "name", MAX_NAME_CHARS, "completion/complete"));
      target = { server: found.server, ref: { ...ref, name: found.name } };
    } else {
      const template = textParam(ref, "uri", MAX_URI_CHARS, "completion/complete");
      const found = await this.content.resolve(scope, template, { template: true });
      if (found === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No server offers this template");
      const { server: owner, uri } = single(found, "ref.uri");
      target = { server: owner, ref: { ...ref, uri } };
    }
    const meta = upstreamMeta(ctx.mcpReq._meta);
    const sent = { ...rest, ref: target.ref, ...(meta === undefined ? {} : { _meta: meta }) };
    try {
      return withoutServerInfo(await this.content.complete(target.server, sent, view.principal, ctx.mcpReq.signal));
    } catch (error) {
      throw toProtocolError(error, getPeer(ctx, server).protocol);
    }
  }
}

/** @throws ProtocolError in place of a failure, which these methods have no result for */
function toResult(envelope: ExecutionEnvelope, protocol: string): Params {
  if (envelope.success) return withoutServerInfo(envelope.result as Params);
  const { error, protocol_error: sent } = envelope;
  const stateless = protocol === STATELESS_PROTOCOL;
  const code = stateless && sent?.code === RESOURCE_NOT_FOUND ? ProtocolErrorCode.InvalidParams : sent?.code;
  const relayed = sent === undefined ? null : relayedError({ ...sent, code: code as number }, protocol);
  throw relayed ?? new ProtocolError(ProtocolErrorCode.InternalError, error, toRetryMeta(envelope) ?? undefined);
}

/** Skills of several servers are one list; the address of one server says what that server says of them. */
function toDeclared(declared: DeclaredExtensions, hasSkills: boolean): DeclaredExtensions {
  const own = declared.extensions?.[SKILLS_EXTENSION];
  const extensions = { ...declared.extensions, ...(hasSkills && { [SKILLS_EXTENSION]: toSkillSettings(own) }) };
  return Object.keys(extensions).length === 0 ? declared : { ...declared, extensions };
}

/** The gateway lists no folders. */
function toSkillSettings({ directoryRead: _, ...settings }: Readonly<Record<string, unknown>> = {}) {
  return settings;
}

function single<Found extends object>(found: Found | { ambiguous: readonly string[] }, field: string): Found {
  if (!("ambiguous" in found)) return found;
  const choices = found.ambiguous.slice(0, 5).join(", ");
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${field}: several servers offer it. Use one of ${choices}`);
}

function textParam(params: Params, key: string, maxChars: number, method: string): string {
  const { [key]: text } = params;
  if (typeof text === "string" && text !== "" && text.length <= maxChars) return text;
  const message = `${method} needs ${key}: a string of 1 to ${maxChars} characters`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** The last entry of a page, and the number of entries up to it. */
interface Position {
  count: number;
  name: string;
}

/** Null for the first page. @throws ProtocolError for a cursor that no list of content gave */
function readPosition(text: string | null): Position | null {
  if (text === null) return null;
  const [, count, name] = /^(\d{1,9}) (.*)$/s.exec(text) ?? [];
  if (count === undefined || name === undefined) nameOfCursor("");
  return { count: Number(count), name: name ?? "" };
}

/** The beginning of the next page, also in a list that has changed. */
function findStart(entries: readonly Entry[], key: string, after: Position | null): number {
  if (after === null) return 0;
  if (entries[after.count - 1]?.[key] === after.name) return after.count;
  const found = entries.findIndex((entry) => entry[key] === after.name);
  return found === -1 ? Math.max(0, after.count - 1) : found + 1;
}

function pageAfter(
  entries: readonly Entry[],
  key: string,
  after: Position | null,
): { page: Entry[]; last: string | null } {
  const from = findStart(entries, key, after);
  const page: Entry[] = [];
  let chars = 0;
  for (const entry of entries.slice(from, from + PAGE_ENTRIES)) {
    chars += JSON.stringify(entry).length;
    if (page.length > 0 && chars > PAGE_CHARS) break;
    page.push(entry);
  }
  const last = page.at(-1);
  const count = from + page.length;
  return { page, last: last === undefined || count >= entries.length ? null : `${count} ${last[key]}` };
}
