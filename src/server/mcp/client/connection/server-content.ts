import type { SubscriptionFilter } from "@modelcontextprotocol/client";
import type { ProtocolErrorBody } from "../../../../lib/contract/envelope";
import { isPlainObject } from "../../../../lib/contract/json";
import { isForeignMethod } from "../../../../lib/mcp-extensions";
import { declaresSkills } from "../../../../lib/skills";
import { ToolFailure } from "../../../engine/failures";
import type { ContentChange, ContentList, ServerContent } from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";
import { ANY_RESULT, CALL_OPTIONS } from "../../fast-path/sdk-results";
import { endOnAccessError } from "../session/access-error";
import { isSessionForgotten, MAX_DATA_CHARS, toCallFailure } from "../session/call-failure";
import { answerInputRequests, buildMeta, MAX_ROUNDS } from "../session/call-tool";
import { getMessage } from "../session/describe-error";
import { listAll } from "../session/lists";
import type { ProtocolSession } from "../session/protocol-session";
import type { SessionOpener } from "../session/session-opener";
import { createOutgoingRequest, REQUEST } from "../transport/sent-request";
import { ChangeStream } from "./change-stream";
import type { ConnectionLimits } from "./connection-limits";
import { withLegacyFallback } from "./legacy-fallback";
import { FORGOTTEN, onKnownSession } from "./reopen";
import type { ServerConnection } from "./server-connection";

const MAX_REASON_CHARS = 5000;
const METHOD_NOT_FOUND = -32_601;
type Capabilities = ProtocolSession["capabilities"];

const LISTS: Readonly<Record<ContentList, { method: string; isDeclared(capabilities: Capabilities): boolean }>> = {
  resources: { method: "resources/list", isDeclared: ({ resources }) => resources !== undefined },
  resourceTemplates: { method: "resources/templates/list", isDeclared: ({ resources }) => resources !== undefined },
  prompts: { method: "prompts/list", isDeclared: ({ prompts }) => prompts !== undefined },
  skills: { method: "skills/list", isDeclared: declaresSkills },
};

interface Parts {
  limits: ConnectionLimits;
  /** Known once the server is: the connection is constructed with `attach`. */
  managed(): { connection: ServerConnection; opener: SessionOpener };
  onChange(change: ContentChange): void;
}

/** Resources, prompts, completions and log levels of one server, over its reconnects. */
export class ConnectedContent implements ServerContent {
  readonly #parts: Parts;
  /** How often each URI is subscribed to. */
  readonly #subscribed = new Map<string, number>();
  #capabilities: Readonly<Record<string, unknown>> | null = null;
  #session: ProtocolSession | null = null;
  #listener: ChangeStream | null = null;
  #logLevel: string | null = null;
  /** The last request for a level, sent or answered. */
  #levelSent: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get capabilities(): Readonly<Record<string, unknown>> | null {
    return this.#capabilities;
  }

  /** Called when a session has started, or (null) the last one ended. */
  attach(session: ProtocolSession | null): void {
    this.#listener?.stop();
    this.#listener = null;
    this.#session = session;
    if (session === null) return;
    const again = this.#capabilities !== null;
    this.#capabilities = session.capabilities;
    const { limits } = this.#parts;
    const what = "Changes of resources and prompts";
    const onReopened = (): void => this.#publishAllChanged([...this.#subscribed.keys()]);
    if (session.modern) this.#listener = new ChangeStream({ session, limits, what, onReopened });
    void this.#restore(session, again);
  }

  async list(list: ContentList, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const { method, isDeclared } = LISTS[list];
    return await this.#read(async (session) => {
      if (!isDeclared(session.capabilities)) return [];
      try {
        return (await listAll(session, method, list, signal)).filter(isPlainObject);
      } catch (error) {
        // Many servers with resources do not know templates.
        if ((error as { code?: unknown }).code === METHOD_NOT_FOUND) return [];
        throw error;
      }
    }, signal);
  }

  async request(
    method: string,
    params: Record<string, unknown>,
    context: ToolContext,
  ): Promise<Record<string, unknown>> {
    const { connection, opener } = this.#parts.managed();
    if (context.maskedValues) opener.addMasked(context.maskedValues);
    return onKnownSession(connection, context.signal, (session) =>
      withLegacyFallback(
        { connection, opener, session, what: method, isRepeatable: !isForeignMethod(method), context },
        (current) => runRequest(current, method, params, context),
      ),
    );
  }

  async ask(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>> {
    return await this.#read(async (session) => {
      const result = await session.request(method, params, { signal });
      return isPlainObject(result) ? withoutConnectionFields(result) : {};
    }, signal);
  }

  async isPublic(method: string): Promise<boolean> {
    return this.#session?.publicLists.has(method) === true;
  }

  async notify(method: string, params: Record<string, unknown>): Promise<void> {
    await this.#read((session) => session.client.notification({ method, params }));
  }

  async subscribe(uri: string): Promise<void> {
    const count = this.#subscribed.get(uri) ?? 0;
    this.#subscribed.set(uri, count + 1);
    if (count > 0) return;
    try {
      await this.#tell("resources/subscribe", uri);
    } catch (error) {
      this.#release(uri);
      throw error;
    }
  }

  async unsubscribe(uri: string): Promise<void> {
    // A server that is away has lost the subscription.
    if (this.#release(uri) && this.#session !== null) await this.#tell("resources/unsubscribe", uri);
  }

  async setLogLevel(level: string): Promise<void> {
    if (this.#logLevel !== level) {
      this.#logLevel = level;
      if (this.#session !== null) this.#levelSent = this.#sendLogLevel(this.#session);
    }
    // Another client may have requested the same level, which the server does not have yet.
    await this.#levelSent;
  }

  /** @returns whether it was the last subscription of the URI */
  #release(uri: string): boolean {
    const count = this.#subscribed.get(uri) ?? 0;
    if (count > 1) this.#subscribed.set(uri, count - 1);
    else this.#subscribed.delete(uri);
    return count === 1;
  }

  async #tell(method: "resources/subscribe" | "resources/unsubscribe", uri: string): Promise<void> {
    await this.#read(async (session) => {
      if (session.modern) await this.#listener?.listen(toFilter(session, [...this.#subscribed.keys()]));
      else await session.request(method, { uri });
    });
  }

  /** Subscriptions and the log level, which a new session does not know. */
  async #restore(session: ProtocolSession, again: boolean): Promise<void> {
    const uris = [...this.#subscribed.keys()];
    const { log } = session;
    const restored = session.modern
      ? [this.#listener?.listen(toFilter(session, uris))]
      : uris.map((uri) => session.request("resources/subscribe", { uri }));
    this.#levelSent = this.#sendLogLevel(session);
    for (const outcome of await Promise.allSettled([...restored, this.#levelSent])) {
      if (outcome.status === "rejected" && !session.ended) {
        log.add("toolroom", "debug", `Changes of resources and prompts may be missed: ${getMessage(outcome.reason)}`);
      }
    }
    if (this.#session !== session) return;
    if (again) this.#publishAllChanged(uris);
    else this.#parts.onChange({ type: "opened" });
  }

  /** Changes made while the server could not report them are unknown. */
  #publishAllChanged(uris: readonly string[]): void {
    const { onChange } = this.#parts;
    onChange({ type: "resources" });
    onChange({ type: "prompts" });
    for (const uri of uris) onChange({ type: "updated", uri });
  }

  async #sendLogLevel(session: ProtocolSession): Promise<void> {
    // In the stateless protocol each request has its level.
    if (this.#logLevel === null || session.modern || session.capabilities.logging === undefined) return;
    await session.request("logging/setLevel", { level: this.#logLevel });
  }

  /** Runs a request without side effects, once more with a new session when the server forgot the old one. */
  async #read<Result>(request: (session: ProtocolSession) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const { connection } = this.#parts.managed();
    const session = await connection.requireSession(signal);
    try {
      return await request(session).catch(async (error) => {
        if (!isSessionForgotten(error, session)) throw error;
        await connection.replace(session, FORGOTTEN);
        return request(await connection.requireSession(signal));
      });
    } catch (error) {
      const server = connection.settings.name;
      const accessError = endOnAccessError(error, session);
      if (accessError !== null) throw new ToolFailure("unavailable", `Server '${server}': ${accessError.message}`);
      const reason = session.log.quote(session.endReason ?? getMessage(error), MAX_REASON_CHARS);
      const message = `Server '${server}' did not answer: ${reason}`;
      throw new ToolFailure("unavailable", message, toProtocolError(error, reason, session));
    }
  }
}

/** Null where the server sends no such notifications. */
function toFilter(session: ProtocolSession, uris: readonly string[]): SubscriptionFilter | null {
  const { resources, prompts } = session.capabilities as Record<string, { listChanged?: unknown } | undefined>;
  const filter: SubscriptionFilter = {
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

/** The error that a server sent, for gateway clients. */
function toProtocolError(error: unknown, message: string, { log }: ProtocolSession): ProtocolErrorBody | undefined {
  const { name, code, data } = error as { name?: unknown; code?: unknown; data?: unknown };
  if (name !== "ProtocolError" || !Number.isSafeInteger(code)) return undefined;
  const body = { code: code as number, message };
  return data === undefined ? body : { ...body, data: log.redactJson(data, MAX_DATA_CHARS) };
}

/** The fields that belong to the connection between Toolroom and the server. */
const CONNECTION_FIELDS = ["resultType", "cacheScope"];

/**
 * Sends a request other than `tools/call` with all that a call has: progress, logs, input requests, cancellation.
 * @returns the result as received, without the fields that concern this connection only
 * @throws ToolFailure; SessionLostError when the server forgot the session
 */
async function runRequest(
  session: ProtocolSession,
  method: string,
  params: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const call = session.calls.begin(method, context);
  try {
    const meta = buildMeta(session, context.callerMeta);
    let sent = meta === null ? params : { ...params, _meta: meta };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const request = createOutgoingRequest(call);
      const result = await session.awaitResult(
        request,
        session.client.request({ method, params: { ...sent, [REQUEST]: request } }, ANY_RESULT, {
          ...CALL_OPTIONS,
          signal: context.signal,
        }),
      );
      if (!isPlainObject(result)) throw new Error(`the answer to ${method} is not an object`);
      if (result.resultType !== "input_required") return withoutConnectionFields(result);
      sent = await answerInputRequests(session, call, sent, result);
    }
    throw new Error(`it requested input more than ${MAX_ROUNDS} times during one request`);
  } catch (error) {
    throw toCallFailure(error, session, call);
  } finally {
    session.calls.end(call);
    session.closeWhenIdle();
  }
}

function withoutConnectionFields(result: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([key]) => !CONNECTION_FIELDS.includes(key)));
}
