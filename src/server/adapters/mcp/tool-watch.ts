import type { McpSubscription } from "@modelcontextprotocol/client";
import { backoffMs } from "./backoff";
import type { ConnectionLimits } from "./connection-limits";
import { messageOf, trailOf, wasNotReached } from "./describe-fault";
import { listTools } from "./lists";
import type { ProtocolSession } from "./protocol-session";

/** A server that refuses so often to tell of changes is not asked again on this connection. */
const MAX_FAILURES = 6;

/** Reads a server's tools again when it says that they changed: once for a burst, and again for what came meanwhile. */
export class ToolWatch {
  readonly #session: ProtocolSession;
  readonly #limits: ConnectionLimits;
  readonly #onTools: (tools: unknown[]) => void;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #changedMeanwhile = false;
  #stopped = false;
  #subscription: McpSubscription | null = null;
  #listenTimer: NodeJS.Timeout | null = null;
  #listenFailures = 0;

  constructor(session: ProtocolSession, limits: ConnectionLimits, onTools: (tools: unknown[]) => void) {
    this.#session = session;
    this.#limits = limits;
    this.#onTools = onTools;
    const tools = session.capabilities.tools as { listChanged?: unknown } | undefined;
    // Older protocols tell of changes unasked.
    if (session.modern && tools?.listChanged === true) void this.#listen();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#listenTimer !== null) clearTimeout(this.#listenTimer);
    this.#subscription?.close().catch(() => undefined);
  }

  changed(): void {
    if (this.#stopped || this.#timer !== null) return;
    if (this.#reading) {
      this.#changedMeanwhile = true;
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
      if (!this.#stopped) {
        this.#session.options.onDoubt();
        this.#session.log.add("toolroom", "error", `The changed tools could not be listed: ${messageOf(error)}`);
      }
    } finally {
      this.#reading = false;
    }
    if (!this.#changedMeanwhile) return;
    this.#changedMeanwhile = false;
    this.changed();
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
      // What changed while nobody listened.
      if (this.#listenFailures > 0) this.changed();
      this.#listenFailures = 0;
      const how = await subscription.closed;
      this.#subscription = null;
      if (how !== "local") this.#listenAgain(`the stream ended (${how})`);
    } catch (error) {
      if (this.#stopped) return;
      if (wasNotReached(error)) this.#session.lose(`the server cannot be reached (${messageOf(error)})`);
      else if (trailOf(error).codes.includes("METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION")) return;
      else this.#listenAgain(messageOf(error));
    }
  }

  #listenAgain(reason: string): void {
    if (this.#stopped || this.#session.ended) return;
    this.#listenFailures += 1;
    const { log } = this.#session;
    if (this.#listenFailures > MAX_FAILURES) {
      log.add("toolroom", "warn", `Changes of the tools will not be noticed: ${reason}`);
      return;
    }
    log.add("toolroom", "debug", `Not listening for changes of the tools: ${reason}`);
    this.#listenTimer = setTimeout(() => void this.#listen(), backoffMs(this.#listenFailures, this.#limits.backoff));
    this.#listenTimer.unref();
  }
}
