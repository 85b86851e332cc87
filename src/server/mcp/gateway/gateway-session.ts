import type { CatalogueServer } from "./catalogue-server";
import type { CatalogueView } from "./catalogue-view";
import type { HttpServerTransport } from "./http-transport";

/** A client of the 2025 protocols, from its `initialize` until its DELETE or its expiry. */
export interface GatewaySession {
  id: string;
  view: CatalogueView;
  transport: HttpServerTransport;
  server: CatalogueServer;
  lastUsedAt: number;
  /** The last use that the store knows of; null for a session that is not stored. */
  storedUseAt: number | null;
}
