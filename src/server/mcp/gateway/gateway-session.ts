import type { HttpServerTransport } from "../fast-path/http-transport";
import type { CatalogServer } from "./catalog/catalog-server";
import type { CatalogView } from "./catalog/catalog-view";

/** A client of the 2025 protocols, from its `initialize` until its DELETE or its expiry. */
export interface GatewaySession {
  id: string;
  view: CatalogView;
  transport: HttpServerTransport;
  server: CatalogServer;
  /** When this process opened or resumed the session. */
  openedAt: number;
  lastUsedAt: number;
  /** The last use that the store has; null for a session that is not stored. */
  storedUseAt: number | null;
}
