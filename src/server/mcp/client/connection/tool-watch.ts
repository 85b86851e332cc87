import { endOnAccessError } from "../session/access-error";
import { getMessage } from "../session/describe-error";
import { listTools } from "../session/lists";
import type { ProtocolSession } from "../session/protocol-session";
import { ChangeStream } from "./change-stream";
import type { ConnectionLimits } from "./connection-limits";

/** Lists a server's tools again when they changed: once per burst, and again for changes during the listing. */
export class ToolWatch {
  readonly #session: ProtocolSession;
  readonly #limits: ConnectionLimits;
  readonly #onTools: (tools: unknown[]) => void;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #changedWhileReading = false;
  #stopped = false;
  readonly #changes: ChangeStream;

  constructor(session: ProtocolSession, limits: ConnectionLimits, onTools: (tools: unknown[]) => void) {
    this.#session = session;
    this.#limits = limits;
    this.#onTools = onTools;
    const tools = session.capabilities.tools as { listChanged?: unknown } | undefined;
    // Legacy servers send notifications without a subscription.
    const onReopened = (): void => this.scheduleRead();
    this.#changes = new ChangeStream({ session, limits, what: "Tool changes", onReopened });
    if (session.modern && tools?.listChanged === true) this.#changes.keepListening({ toolsListChanged: true });
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#changes.stop();
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
        this.#session.log.add("toolroom", "error", `The changed tools could not be listed: ${getMessage(error)}`);
      }
    } finally {
      this.#reading = false;
    }
    if (!this.#changedWhileReading) return;
    this.#changedWhileReading = false;
    this.scheduleRead();
  }
}
