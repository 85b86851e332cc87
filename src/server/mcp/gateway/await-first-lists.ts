import type { CatalogView } from "./catalog/catalog-view";
import type { GatewayPorts } from "./gateway-ports";

/**
 * Waits for servers of an address that connect for the first time; null where nothing is awaited.
 * @param limitMs null for the usual time
 */
export function awaitFirstLists(
  ports: Pick<GatewayPorts, "awaitFirstLists">,
  { query: { server, servers } }: CatalogView,
  limitMs: number | null = null,
): Promise<unknown> | null {
  const awaited = server === null ? (servers ?? null) : [server];
  return ports.awaitFirstLists?.(awaited, limitMs) ?? null;
}
