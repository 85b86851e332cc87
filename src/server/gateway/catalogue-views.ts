import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract";
import { CatalogueView, type ViewQuery } from "./catalogue-view";
import type { GatewayPorts } from "./gateway-ports";

/** The views requested last are cached with their lists. Views in use do not count. */
const MAX_VIEWS = 200;
const MAX_NAMES = 1000;
/** A longer address is read anew by each request. */
const MAX_ADDRESS_CHARS = 2000;

/** Why an address serves nothing. */
export interface RefusedAddress {
  status: 400 | 404;
  message: string;
}

/** The views of the catalogue that clients requested, one object each. */
export class CatalogueViews {
  readonly #views = new Map<string, CatalogueView>();
  /** What an address meant for a caller at its last request, while its view is cached. */
  readonly #latest = new Map<string, CatalogueView>();

  constructor(private readonly ports: GatewayPorts) {}

  /** @param address path and query: `/mcp/files?tools=a,b` */
  at(address: string, principal: Principal): CatalogueView | RefusedAddress {
    const request = `${principal.id} ${principal.token?.id ?? ""} ${address}`;
    const latest = this.#latest.get(request);
    if (latest !== undefined && this.#isServed(latest)) return this.#use(latest, principal);
    const found = this.#find(address, principal);
    if (!(found instanceof CatalogueView)) this.#latest.delete(request);
    else if (address.length <= MAX_ADDRESS_CHARS) {
      if (this.#latest.size >= MAX_VIEWS) this.#latest.clear();
      this.#latest.set(request, found);
    }
    return found;
  }

  /** Whether it is still the view of its address: one that was evicted hears of no changes. */
  #isServed(view: CatalogueView): boolean {
    const { server } = view.query;
    return this.#views.get(view.key) === view && (server === null || this.ports.serverNames().includes(server));
  }

  #use(view: CatalogueView, principal: Principal): CatalogueView {
    // Maps keep the order of insertion: a view that is requested again is evicted last.
    this.#views.delete(view.key);
    this.#views.set(view.key, view);
    view.principal = principal;
    return view;
  }

  #find(address: string, principal: Principal): CatalogueView | RefusedAddress {
    const query = parseAddress(address, this.ports.serverNames());
    if ("status" in query) return query;
    const caller = principal.id === LOCAL_PRINCIPAL.id ? [] : [principal.id, principal.token?.id ?? null];
    const key = JSON.stringify([query.server, query.plainNames, query.tools, ...caller]);
    const known = this.#views.get(key);
    if (known !== undefined) return this.#use(known, principal);
    const view = new CatalogueView(key, query, principal, this.ports);
    const unknown = view.unknownNames();
    if (unknown.length > 0) this.ports.logger.info({ unknown, address: key }, "Gateway: ?tools= names unknown tools");
    if (this.#views.size >= MAX_VIEWS) this.#evict();
    this.#views.set(key, view);
    return view;
  }

  all(): Iterable<CatalogueView> {
    return this.#views.values();
  }

  #evict(): void {
    for (const [key, view] of this.#views) {
      if (view.held) continue;
      this.#views.delete(key);
      if (this.#views.size < MAX_VIEWS) return;
    }
  }
}

function parseAddress(address: string, serverNames: readonly string[]): ViewQuery | RefusedAddress {
  const [path = "", search = ""] = address.split("?", 2);
  const [, , segment, ...rest] = path.replace(/\/$/, "").split("/");
  const parameters = new URLSearchParams(search);
  const plainNames = parameters.get("names") === "plain";
  const server = segment === undefined ? null : decoded(segment);
  if (rest.length > 0 || (server !== null && !serverNames.includes(server))) {
    const shown = [server, ...rest].join("/").replace(/[^\w.-]/g, "?");
    return { status: 404, message: `There is no server '${shown.slice(0, 100)}' here. /mcp serves every tool.` };
  }
  if (plainNames && server === null) {
    return { status: 400, message: "names=plain needs a server: /mcp/<server>?names=plain" };
  }
  const listed = parameters.getAll("tools").flatMap((value) => value.split(","));
  const tools = [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))].sort();
  if (tools.length > MAX_NAMES) return { status: 400, message: `tools= may name ${MAX_NAMES} tools at most` };
  return { server, plainNames, tools: parameters.has("tools") ? tools : null };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
