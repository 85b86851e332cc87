import type { McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { getMessage, isUnreachable, readErrorTrail } from "../session/describe-error";
import type { ProtocolSession } from "../session/protocol-session";
import { computeBackoffMs } from "./attempt-history";
import type { ConnectionLimits } from "./connection-limits";

/** After this many consecutive refusals, this connection does not ask the server again. */
const MAX_FAILURES = 6;

interface ChangeStreamOptions {
  session: ProtocolSession;
  limits: ConnectionLimits;
  /** The changes that are missed without the stream: "Tool changes". */
  what: string;
  /** The stream is open again: what changed while there was none is not known. */
  onReopened(): void;
}

/**
 * A stream on which a server of the stateless protocol sends notifications of changes; it is opened again when it ends. A
 * new filter opens a second stream before the first one is closed, so that nothing is missed in between.
 */
export class ChangeStream {
  #filter: SubscriptionFilter | null = null;
  #current: McpSubscription | null = null;
  #opening: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #stopped = false;

  constructor(private readonly options: ChangeStreamOptions) {}

  /** Resolves when the server has acknowledged the filter, or rejects with its refusal. @param filter null for no stream */
  listen(filter: SubscriptionFilter | null): Promise<void> {
    this.#filter = filter;
    const opening = this.#opening.catch(() => undefined).then(() => this.#open());
    this.#opening = opening;
    opening.catch(() => undefined);
    return opening;
  }

  /** Listens, and repeats the request later when a server refuses it. */
  keepListening(filter: SubscriptionFilter): void {
    this.listen(filter).catch((error: unknown) => this.#handleRefusal(error));
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#current?.close().catch(() => undefined);
  }

  async #open(): Promise<void> {
    if (this.#stopped) return;
    const { session, limits } = this.options;
    const before = this.#current;
    const filter = this.#filter;
    const next = filter === null ? null : await session.client.listen(filter, { timeout: limits.listTimeoutMs });
    this.#current = next;
    await before?.close().catch(() => undefined);
    if (next === null) return;
    if (this.#stopped) return await next.close().catch(() => undefined);
    if (this.#failures > 0) this.options.onReopened();
    this.#failures = 0;
    void next.closed.then((reason) => {
      if (reason !== "local" && this.#current === next) this.#retry(`the stream ended (${reason})`);
    });
  }

  #handleRefusal(error: unknown): void {
    if (this.#stopped) return;
    if (isUnreachable(error)) this.options.session.lose(`the server cannot be reached (${getMessage(error)})`);
    else if (!readErrorTrail(error).codes.includes("METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION"))
      this.#retry(getMessage(error));
  }

  #retry(reason: string): void {
    this.#current = null;
    const { session, limits, what } = this.options;
    if (this.#stopped || session.ended) return;
    this.#failures += 1;
    if (this.#failures > MAX_FAILURES) {
      session.log.add("toolroom", "warn", `${what} will not be noticed: ${reason}`);
      return;
    }
    session.log.add("toolroom", "debug", `${what} are not noticed at present: ${reason}`);
    const reopen = (): void => {
      this.listen(this.#filter).catch((error: unknown) => this.#handleRefusal(error));
    };
    this.#timer = setTimeout(reopen, computeBackoffMs(this.#failures, limits.backoff));
    this.#timer.unref();
  }
}
