import { AsyncLocalStorage } from "node:async_hooks";
import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { ClientPeer } from "../../engine/client-ports";
import type { CatalogView } from "./catalog/catalog-view";

type Listener = (event: ServerEvent) => void;

/** A notification of an extension, which the SDK's own streams know nothing of and ignore. */
export interface ForeignEvent {
  kind: "foreign";
  method: string;
  params: Record<string, unknown>;
}

export interface ListeningStream {
  view: CatalogView;
  /** Resources to which the client subscribes. */
  uris: readonly string[];
  /** Its client, where it asked to hear of changed lists of tools; null where it did not. */
  peer: ClientPeer | null;
}

/** The streams of stateless clients, of which the SDK does not say from which address they came. */
export class ViewEventBus implements ServerEventBus {
  readonly #opening = new AsyncLocalStorage<ListeningStream>();
  readonly #streams = new Map<Listener, { stream: ListeningStream; end: () => void }>();

  /** @param onStream a stream has opened; returns what to do when it ends */
  constructor(private readonly onStream: (stream: ListeningStream, listener: Listener) => () => void) {}

  /** Serves a request that may open a stream of an address. */
  serve<Result>(stream: ListeningStream, work: () => Result): Result {
    return this.#opening.run(stream, work);
  }

  subscribe(listener: Listener): () => void {
    const stream = this.#opening.getStore();
    if (stream === undefined) return () => undefined;
    // Prevents the eviction of the view, which would miss changes.
    stream.view.hold();
    this.#streams.set(listener, { stream, end: this.onStream(stream, listener) });
    return () => {
      const open = this.#streams.get(listener);
      if (open === undefined) return;
      this.#streams.delete(listener);
      stream.view.release();
      open.end();
    };
  }

  /** Sends an event to every stream. */
  publish(event: ServerEvent): void {
    for (const listener of this.#streams.keys()) listener(event);
  }

  /** The clients that are notified of changed lists of tools. */
  *peers(): Iterable<ClientPeer> {
    for (const { stream } of this.#streams.values()) if (stream.peer !== null) yield stream.peer;
  }

  publishTo(isMeant: (view: CatalogView) => boolean, event: ServerEvent | ForeignEvent): void {
    for (const [listener, { stream }] of this.#streams) if (isMeant(stream.view)) listener(event as ServerEvent);
  }
}
