import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "../../../lib/contract/json";
import { type Forwarded, type Forwarding, toInstanceTag } from "../../platform/coordination/forwarding";
import type { Instance } from "../../platform/coordination/instances";
import { listenedTaskIds } from "./gateway-requests";
import { rejectRequest } from "./http-answers";
import type { SessionStore } from "./session-store";

/** Longer than the time after which an instance without a sign of life counts as lost. */
const OWNER_WAIT_MS = 20_000;
const RETRY_MS = 200;
const MAX_KNOWN = 10_000;
/** An instance that turns out to be alive gets requests again after this time. */
const GONE_MS = 10_000;
/** An id with the tag of an instance before the random part. */
const TAGGED = /^([\w-]{8})\.[\w-]+$/;
const LOST = "The copy of Toolroom that ran this request has ended: its result is unknown";
/** Methods of requests that must not be sent twice. */
const RUNNING = new Set(["tools/call", "resources/read", "prompts/get", "completion/complete"]);

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The body as received; empty for GET and DELETE. */
  body: string;
}

interface RequestOwnersPorts {
  forwarding: Forwarding;
  /** The stored sessions; null: a session ends with its instance. */
  store: SessionStore | null;
  hasSession(id: string): boolean;
}

/**
 * Sends requests that belong to another instance there: those of its sessions, of its tasks, and of calls that wait for
 * input there.
 */
export class RequestOwners {
  /** The owners of sessions that another instance than the one in their id has, by session id. */
  readonly #adopted = new Map<string, string>();
  /**
   * Instances whose address has no process or another one, by id: the time until which they count as ended, although
   * they are not lost yet.
   */
  readonly #gone = new Map<string, number>();

  constructor(private readonly ports: RequestOwnersPorts) {}

  /** Serves a request of a session of another instance; false for one that is served here. */
  async takeSession(exchange: Exchange): Promise<boolean> {
    const id = exchange.request.headers["mcp-session-id"];
    if (typeof id !== "string" || this.ports.hasSession(id)) return false;
    let trustsTag = true;
    for (const endsAt = Date.now() + OWNER_WAIT_MS; ; trustsTag = false) {
      const owner = await this.#findOwner(id, trustsTag);
      if (owner === null) return false;
      if (await this.#forward(owner, exchange, Date.now() < endsAt)) return true;
      await sleep(RETRY_MS);
      if (exchange.response.destroyed) return true;
    }
  }

  /** Serves a request of the stateless protocol about something that is in the memory of another instance; false for one that is served here. */
  async takeStateless(message: unknown, exchange: Exchange): Promise<boolean> {
    const owner = this.#findNamedOwner(message);
    // This instance answers from the database what a lost owner left there.
    if (owner === null || this.ports.forwarding.isForwarded(exchange.request)) return false;
    return await this.#forward(owner, exchange, this.ports.forwarding.copies.isLiving(owner.id));
  }

  /** @returns false where the request may be tried again */
  async #forward(owner: Instance, exchange: Exchange, mayRetry: boolean): Promise<boolean> {
    const { forwarding } = this.ports;
    const { request, response, body } = exchange;
    const notTaken = (): true => {
      rejectRequest(response, 503, "The session moves to another copy", { headers: { "retry-after": "1" } });
      return true;
    };
    // The instance that forwarded it searches again.
    if (forwarding.isForwarded(request)) return notTaken();
    const sent = await forwarding.send(owner, request, body, response);
    if (sent.outcome === "answered" || response.destroyed) return true;
    if (sent.outcome === "gone") this.#gone.set(owner.id, performance.now() + GONE_MS);
    if (sent.outcome === "lost") {
      const messages = readMessages(body);
      const isRunning = messages.some(({ method }) => RUNNING.has(String(method)));
      if (response.headersSent || isRunning) {
        endLost(exchange, messages, sent);
        return true;
      }
    }
    return mayRetry ? false : notTaken();
  }

  /** @returns null where this instance serves the session, or no instance has it */
  async #findOwner(id: string, trustsTag: boolean): Promise<Instance | null> {
    const { store, forwarding } = this.ports;
    const { copies } = forwarding;
    const tag = TAGGED.exec(id)?.[1];
    if (trustsTag) {
      if (tag === toInstanceTag(copies.self.id)) return null;
      const adopter = this.#adopted.get(id);
      const named = copies
        .list()
        .find(({ id: each }) => (adopter === undefined ? toInstanceTag(each) === tag : each === adopter));
      if (named !== undefined && !named.isDraining && !this.#isGone(named.id)) return named;
    }
    this.#adopted.delete(id);
    for (;;) {
      const found = (await store?.find(id)) ?? null;
      if (found === null || store === null || found.owner === copies.self.id) return null;
      const { owner } = found;
      const living =
        owner === null || this.#isGone(owner) ? undefined : copies.list().find((copy) => copy.id === owner);
      if (living !== undefined) {
        if (toInstanceTag(living.id) !== tag) this.#remember(id, living.id);
        return living;
      }
      if (await store.adopt(id, owner, copies.self.id)) return null;
    }
  }

  #isGone(id: string): boolean {
    const until = this.#gone.get(id);
    if (until === undefined) return false;
    if (performance.now() < until && this.ports.forwarding.copies.isLiving(id)) return true;
    this.#gone.delete(id);
    return false;
  }

  #remember(id: string, owner: string): void {
    if (this.#adopted.size >= MAX_KNOWN) this.#adopted.clear();
    this.#adopted.set(id, owner);
  }

  #findNamedOwner(message: unknown): Instance | null {
    const params = isPlainObject(message) && isPlainObject(message.params) ? message.params : null;
    if (params === null) return null;
    const { requestState, taskId } = params;
    const named = [requestState, taskId, ...listenedTaskIds(message)].filter((id) => typeof id === "string");
    const { copies } = this.ports.forwarding;
    const tags = new Set(named.map((id) => TAGGED.exec(id)?.[1]));
    // Tasks of several copies are followed here, by what the database says of them.
    if (tags.size !== 1 || tags.has(toInstanceTag(copies.self.id))) return null;
    return copies.list().find((copy) => tags.has(toInstanceTag(copy.id))) ?? null;
  }
}

/** Ends the answer to a request whose instance ended, so that no client waits for it until its timeout. */
function endLost(
  { response, body }: Exchange,
  messages: readonly Record<string, unknown>[],
  { bodyBytes }: Extract<Forwarded, { outcome: "lost" }>,
): void {
  const ids = messages.filter((one) => "method" in one && "id" in one).map(({ id }) => id);
  const errors = ids.map((id) => ({ jsonrpc: "2.0", id, error: { code: -32_000, message: LOST } }));
  if (response.headersSent && String(response.getHeader("content-type")).includes("text/event-stream")) {
    // Ends the event that was cut before another one begins.
    response.write("\n\n");
    for (const error of errors) response.write(`event: message\ndata: ${JSON.stringify(error)}\n\n`);
    response.end();
    return;
  }
  const canComplete = !response.headersSent || (bodyBytes === 0 && !response.hasHeader("content-length"));
  if (!canComplete || errors.length === 0) {
    rejectRequest(response, 502, LOST);
    return;
  }
  if (!response.headersSent) response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body.trimStart().startsWith("[") ? errors : errors[0]));
}

function readMessages(body: string): Record<string, unknown>[] {
  try {
    const parsed: unknown = body === "" ? [] : JSON.parse(body);
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isPlainObject);
  } catch {
    return [];
  }
}
