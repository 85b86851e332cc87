import type { HttpServerTransport } from "../fast-path/http-transport";
import type { CatalogueServer } from "./catalogue/catalogue-server";
import type { CatalogueView } from "./catalogue/catalogue-view";

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
