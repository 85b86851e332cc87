import type { McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import type { ContentChange } from "../../../engine/mcp-ports";
import { messageOf } from "../session/describe-error";
import type { ProtocolSession } from "../session/protocol-session";
import { computeBackoffMs } from "./attempt-history";
import type { ConnectionLimits } from "./connection-limits";

/** After so many refusals in a row the server is not asked again on this connection. */
const MAX_FAILURES = 6;

/**
 * The stream on which a server of the stateless protocol tells of changed lists and updated resources. A change of what is
 * listened to opens a second stream before it closes the first, so that nothing is missed in between.
 */
export class ContentListener {
  readonly #session: ProtocolSession;
  readonly #limits: ConnectionLimits;
  readonly #onChange: (change: ContentChange) => void;
  #uris: readonly string[] = [];
  #current: McpSubscription | null = null;
  #opening: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #stopped = false;

  constructor(session: ProtocolSession, limits: ConnectionLimits, onChange: (change: ContentChange) => void) {
    this.#session = session;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /** Resolves when the server has acknowledged what to listen to, or rejects with its refusal. */
  listen(uris: readonly string[]): Promise<void> {
    this.#uris = uris;
    const opening = this.#opening.catch(() => undefined).then(() => this.#open());
    this.#opening = opening;
    opening.catch(() => undefined);
    return opening;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#current?.close().catch(() => undefined);
  }

  #filter(): SubscriptionFilter | null {
    const { resources, prompts } = this.#session.capabilities as Record<string, { listChanged?: unknown } | undefined>;
    const filter: SubscriptionFilter = {
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(this.#uris.length > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    return Object.keys(filter).length === 0 ? null : filter;
  }

  async #open(): Promise<void> {
    if (this.#stopped) return;
    const filter = this.#filter();
    const before = this.#current;
    const next =
      filter === null ? null : await this.#session.client.listen(filter, { timeout: this.#limits.listTimeoutMs });
    this.#current = next;
    await before?.close().catch(() => undefined);
    if (next === null) return;
    if (this.#stopped) return await next.close().catch(() => undefined);
    this.#failures = 0;
    void next.closed.then((reason) => {
      if (reason !== "local" && this.#current === next) this.#retry(`the stream ended (${reason})`);
    });
  }

  #retry(reason: string): void {
    this.#current = null;
    if (this.#stopped || this.#session.ended) return;
    this.#failures += 1;
    const { log } = this.#session;
    if (this.#failures > MAX_FAILURES) {
      log.add("toolroom", "warn", `Changes of resources and prompts will not be noticed: ${reason}`);
      return;
    }
    this.#timer = setTimeout(
      () => {
        this.listen(this.#uris).then(
          () => {
            // What changed while there was no stream is not known.
            this.#onChange({ type: "resources" });
            this.#onChange({ type: "prompts" });
            for (const uri of this.#uris) this.#onChange({ type: "updated", uri });
          },
          (error: unknown) => this.#retry(messageOf(error)),
        );
      },
      computeBackoffMs(this.#failures, this.#limits.backoff),
    );
    this.#timer.unref();
  }
}
