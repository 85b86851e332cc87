import type { CatalogView } from "../catalog/catalog-view";
import type { ContentScope, GatewayContent } from "./content-port";

interface Subscription {
  server: string;
  /** The URI in the server's own form. */
  uri: string;
  /** Undefined while the server is being asked. */
  release: (() => void) | undefined;
}

export const MAX_SUBSCRIPTIONS = 1000;

/** The resources to which one client subscribes: a session, or one stream of the stateless protocol. */
export class ClientSubscriptions {
  /** Subscriptions by the URI that the client knows. */
  readonly #byUri = new Map<string, Subscription>();
  #ended = false;

  constructor(
    readonly view: CatalogView,
    private readonly content: GatewayContent,
  ) {}

  get size(): number {
    return this.#byUri.size;
  }

  /** @throws ToolFailure where the server refuses */
  async add(clientUri: string, target: { server: string; uri: string }, scope: ContentScope): Promise<void> {
    if (this.#byUri.has(clientUri) || this.#ended) return;
    const subscription: Subscription = { ...target, release: undefined };
    this.#byUri.set(clientUri, subscription);
    try {
      const release = await this.content.subscribe(target.server, target.uri, scope.actor);
      // The subscription may have ended in between.
      if (this.#byUri.get(clientUri) === subscription) subscription.release = release;
      else release();
    } catch (error) {
      if (this.#byUri.get(clientUri) === subscription) this.#byUri.delete(clientUri);
      throw error;
    }
  }

  remove(clientUri: string): void {
    this.#byUri.get(clientUri)?.release?.();
    this.#byUri.delete(clientUri);
  }

  end(): void {
    this.#ended = true;
    for (const uri of [...this.#byUri.keys()]) this.remove(uri);
  }

  /** The subscribed URIs, as the client knows them, that an update of a server's resource concerns. */
  concernedBy(server: string, uri: string): string[] {
    return [...this.#byUri].flatMap(([clientUri, own]) =>
      // A server may report a change of a part of a subscribed resource.
      own.server === server && (own.uri === uri || uri.startsWith(`${own.uri}/`)) ? [clientUri] : [],
    );
  }
}
