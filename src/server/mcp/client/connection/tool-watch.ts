import type { McpSubscription } from "@modelcontextprotocol/client";
import { endOnAccessError } from "../session/access-error";
import { isUnreachable, messageOf, readErrorTrail } from "../session/describe-error";
import { listTools } from "../session/lists";
import type { ProtocolSession } from "../session/protocol-session";
import { computeBackoffMs } from "./attempt-history";
import type { ConnectionLimits } from "./connection-limits";

/** After so many refusals the server is not asked for change notifications again on this connection. */
const MAX_FAILURES = 6;

/** Lists a server's tools again when they changed: once per burst, and again for changes during the listing. */
export class ToolWatch {
  readonly #session: ProtocolSession;
  readonly #limits: ConnectionLimits;
  readonly #onTools: (tools: unknown[]) => void;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #changedWhileReading = false;
  #stopped = false;
  #subscription: McpSubscription | null = null;
  #listenTimer: NodeJS.Timeout | null = null;
  #listenFailures = 0;

  constructor(session: ProtocolSession, limits: ConnectionLimits, onTools: (tools: unknown[]) => void) {
    this.#session = session;
    this.#limits = limits;
    this.#onTools = onTools;
    const tools = session.capabilities.tools as { listChanged?: unknown } | undefined;
    // Legacy servers send notifications without a subscription.
    if (session.modern && tools?.listChanged === true) void this.#listen();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#listenTimer !== null) clearTimeout(this.#listenTimer);
    this.#subscription?.close().catch(() => undefined);
  }

  scheduleRead(): void {
    if (this.#stopped || this.#timer !== null) return;
    if (this.#reading) {
      this.#changedWhileReading = true;
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#read();
    }, this.#limits.debounceMs);
    this.#timer.unref();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      const tools = await listTools(this.#session);
      if (!this.#stopped) this.#onTools(tools);
    } catch (error) {
      if (!this.#stopped && endOnAccessError(error, this.#session) === null) {
        this.#session.options.onSuspectedLoss();
        this.#session.log.add("toolroom", "error", `The changed tools could not be listed: ${messageOf(error)}`);
      }
    } finally {
      this.#reading = false;
    }
    if (!this.#changedWhileReading) return;
    this.#changedWhileReading = false;
    this.scheduleRead();
  }

  async #listen(): Promise<void> {
    try {
      const subscription = await this.#session.client.listen(
        { toolsListChanged: true },
        { timeout: this.#limits.listTimeoutMs },
      );
      if (this.#stopped) {
        await subscription.close();
        return;
      }
      this.#subscription = subscription;
      // The tools may have changed while there was no subscription.
      if (this.#listenFailures > 0) this.scheduleRead();
      this.#listenFailures = 0;
      const reason = await subscription.closed;
      this.#subscription = null;
      if (reason !== "local") this.#retryListening(`the stream ended (${reason})`);
    } catch (error) {
      if (this.#stopped) return;
      if (isUnreachable(error)) this.#session.lose(`the server cannot be reached (${messageOf(error)})`);
      else if (readErrorTrail(error).codes.includes("METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION")) return;
      else this.#retryListening(messageOf(error));
    }
  }

  #retryListening(reason: string): void {
    if (this.#stopped || this.#session.ended) return;
    this.#listenFailures += 1;
    const { log } = this.#session;
    if (this.#listenFailures > MAX_FAILURES) {
      log.add("toolroom", "warn", `Tool changes will not be noticed: ${reason}`);
      return;
    }
    log.add("toolroom", "debug", `Not listening for tool changes: ${reason}`);
    this.#listenTimer = setTimeout(
      () => void this.#listen(),
      computeBackoffMs(this.#listenFailures, this.#limits.backoff),
    );
    this.#listenTimer.unref();
  }
}
