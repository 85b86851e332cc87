import { parseFaults } from "../../../../lib/cassette/faults";
import { explainGroupLimit, LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { AGENT_ENDPOINT } from "../../../../lib/contract/agent-endpoint";
import type { ClientTransport } from "../../../../lib/contract/client-transport";
import { CHECKED_CLIENTS } from "../../../../lib/contract/client-verdict";
import type { GatewayPorts } from "../gateway-ports";
import { CatalogView, type ViewQuery } from "./catalog-view";
import { readClientForm } from "./client-form";

/** The views requested last are cached with their lists. Views in use do not count. */
const MAX_VIEWS = 200;
const MAX_NAMES = 1000;
/** The most seconds of `wait=`: longer than any known client waits for a list. */
const MAX_WAIT_SECONDS = 600;
/** A longer address is parsed again for each request. */
const MAX_ADDRESS_CHARS = 2000;

/** Why an address serves nothing. */
export interface RefusedAddress {
  status: 400 | 403 | 404;
  message: string;
}

/** The views of the catalog that clients requested, one object each. */
export class CatalogViews {
  readonly #views = new Map<string, CatalogView>();
  /** The view of each address and caller at its last request, while it is cached. */
  readonly #latest = new Map<string, CatalogView>();

  constructor(private readonly ports: GatewayPorts) {}

  /**
   * @param address path and query: `/mcp/files?tools=a,b`
   * @param transport the client's transport; the bridge names it in a header
   */
  at(address: string, principal: Principal, transport: ClientTransport = "http"): CatalogView | RefusedAddress {
    const request = `${transport} ${principal.id} ${principal.token?.id ?? ""} ${address}`;
    const latest = this.#latest.get(request);
    if (latest !== undefined && this.#isServed(latest)) {
      return refuseView(principal, latest.query) ?? this.#use(latest, principal);
    }
    const found = this.#find(address, principal, transport);
    if (!(found instanceof CatalogView)) this.#latest.delete(request);
    else if (address.length <= MAX_ADDRESS_CHARS) {
      if (this.#latest.size >= MAX_VIEWS) this.#latest.clear();
      this.#latest.set(request, found);
    }
    return found;
  }

  /** Whether it is still the view of its address: one that was evicted hears of no changes. */
  #isServed(view: CatalogView): boolean {
    const { server, toolset, cassette } = view.query;
    if (this.#views.get(view.key) !== view) return false;
    if (cassette !== undefined) return this.ports.cassettes?.get(cassette.name) === cassette.served;
    if (toolset !== undefined) return (this.ports.toolset?.(toolset) ?? null) !== null;
    return server === null || isServedName(server, this.ports);
  }

  #use(view: CatalogView, principal: Principal): CatalogView {
    // Maps keep the order of insertion: a view that is requested again is evicted last.
    this.#views.delete(view.key);
    this.#views.set(view.key, view);
    view.principal = principal;
    return view;
  }

  #find(address: string, principal: Principal, transport: ClientTransport): CatalogView | RefusedAddress {
    const parsed = parseAddress(address, this.ports);
    if ("status" in parsed) return parsed;
    const query: ViewQuery = transport === "stdio" ? { ...parsed, transport } : parsed;
    const refusal = refuseView(principal, query);
    if (refusal !== null) return refusal;
    const caller = principal.id === LOCAL_PRINCIPAL.id ? [] : [principal.id, principal.token?.id ?? null];
    const part = toPart(query);
    // Sessions over HTTP keep the keys under which they were stored.
    const bridge = query.transport === undefined ? [] : [query.transport];
    const form = query.form === undefined ? [] : [{ form: query.form }];
    const key = JSON.stringify([part, query.plainNames, query.tools, ...caller, ...bridge, ...form]);
    const known = this.#views.get(key);
    if (known !== undefined) return this.#use(known, principal);
    const view = new CatalogView(key, query, principal, this.ports);
    const unknown = view.unknownNames();
    if (unknown.length > 0) this.ports.logger.info({ unknown, address: key }, "Gateway: ?tools= names unknown tools");
    if (this.#views.size >= MAX_VIEWS) this.#evict();
    this.#views.set(key, view);
    return view;
  }

  /** A view beside those of clients; null where its server or toolset is gone, or not for the caller. */
  open(query: ViewQuery, principal: Principal): CatalogView | null {
    const { server, toolset } = query;
    if (server !== null && !isServedName(server, this.ports)) return null;
    if (toolset !== undefined && (this.ports.toolset?.(toolset) ?? null) === null) return null;
    if (refuseView(principal, query) !== null) return null;
    return new CatalogView("", query, principal, this.ports);
  }

  all(): Iterable<CatalogView> {
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

/** The part of the catalog that a query selects, beside its names. */
function toPart({ server, servers, toolset, cassette }: ViewQuery): unknown {
  if (cassette === undefined && servers !== undefined) return { servers };
  if (cassette === undefined) return toolset === undefined ? server : { toolset };
  return { cassette: cassette.served.id, label: cassette.label, faults: cassette.faults };
}

type AddressPorts = Pick<GatewayPorts, "serverNames" | "toolset" | "cassettes" | "agentTools">;

/** Whether `/mcp/<name>` serves something: a server, or Toolroom's own tools. */
function isServedName(name: string, { serverNames, agentTools }: AddressPorts): boolean {
  return serverNames().includes(name) || (name === AGENT_ENDPOINT && agentTools?.isServed() === true);
}

const CASSETTE_PATH = /^\/mcp\/cassettes\/([^/]+)\/?$/;
const MAX_LABEL_CHARS = 100;

/** The cassette that an address names; null for another address. */
export function readCassetteName(address: string): string | null {
  const name = CASSETTE_PATH.exec(address.split("?", 1)[0] ?? "")?.[1];
  return name === undefined ? null : decoded(name);
}

function parseCassetteAddress(name: string, search: string, { cassettes }: AddressPorts): ViewQuery | RefusedAddress {
  const served = cassettes?.get(name) ?? null;
  if (served === null) return { status: 404, message: `There is no cassette '${printable(name)}' here` };
  const parameters = new URLSearchParams(search);
  const unknown = [...parameters.keys()].find((key) => key !== "session" && key !== "faults");
  if (unknown !== undefined) {
    return { status: 400, message: `${printable(unknown)}= is not known here: a cassette takes session= and faults=` };
  }
  const label = parameters.get("session");
  const faults = parameters.get("faults");
  if (label !== null && (label === "" || label.length > MAX_LABEL_CHARS)) {
    return { status: 400, message: `session= must have 1 to ${MAX_LABEL_CHARS} characters` };
  }
  const problem = faults === null ? null : parseFaults(faults);
  if (typeof problem === "string") return { status: 400, message: `faults=: ${problem}` };
  return { server: null, plainNames: false, tools: null, cassette: { name, served, label, faults } };
}

function parseAddress(address: string, ports: AddressPorts): ViewQuery | RefusedAddress {
  const [path = "", search = ""] = address.split("?", 2);
  const cassette = readCassetteName(path);
  if (cassette !== null) return parseCassetteAddress(cassette, search, ports);
  const [, , segment, ...rest] = path.replace(/\/$/, "").split("/");
  const parameters = new URLSearchParams(search);
  const names = parameters.get("names");
  if (names !== null && names !== "plain") {
    return { status: 400, message: `names=${printable(names)} is not known: use names=plain, or leave it out` };
  }
  const plainNames = names === "plain";
  const toolset = segment === "sets" && rest.length === 1 ? decoded(rest[0] ?? "") : undefined;
  const server = segment === undefined || toolset !== undefined ? null : decoded(segment);
  if (toolset !== undefined && (ports.toolset?.(toolset) ?? null) === null) {
    return { status: 404, message: `There is no toolset '${printable(toolset)}' here. /mcp serves every tool.` };
  }
  if (toolset === undefined && (rest.length > 0 || (server !== null && !isServedName(server, ports)))) {
    if (server === AGENT_ENDPOINT && rest.length === 0 && ports.agentTools !== undefined) {
      return { status: 404, message: ports.agentTools.explainRefusal() };
    }
    const shown = printable([server, ...rest].join("/"));
    return { status: 404, message: `There is no server '${shown}' here. /mcp serves every tool.` };
  }
  if (plainNames && toolset !== undefined) {
    return { status: 400, message: "A toolset has names of its own: leave names=plain out" };
  }
  if (readWaitSeconds(parameters) === undefined) {
    return { status: 400, message: `wait= must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}` };
  }
  const asked = parameters.get("for");
  const form = asked === null ? undefined : readClientForm(asked);
  if (asked !== null && form === undefined) {
    const clients = CHECKED_CLIENTS.join(", ");
    return { status: 400, message: `for=${printable(asked)} is not a known client: use one of ${clients}` };
  }
  const tools = readNames(parameters, "tools");
  const servers = readNames(parameters, "servers");
  if (servers !== null && segment !== undefined) {
    return { status: 400, message: "servers= belongs to /mcp: this address names its tools already" };
  }
  for (const [field, found] of Object.entries({ tools, servers })) {
    if (found !== null && found.length > MAX_NAMES) {
      return { status: 400, message: `${field}= may name ${MAX_NAMES} ${field} at most` };
    }
  }
  return {
    server,
    plainNames,
    tools,
    ...(servers !== null && { servers }),
    ...(toolset !== undefined && { toolset }),
    ...(form !== undefined && { form }),
  };
}

/** Null where the address has no such parameter. */
function readNames(parameters: URLSearchParams, field: string): string[] | null {
  if (!parameters.has(field)) return null;
  const listed = parameters.getAll(field).flatMap((value) => value.split(","));
  return [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))].sort();
}

/** Null where the address has no time, undefined where it is invalid. */
function readWaitSeconds(parameters: URLSearchParams): number | null | undefined {
  const text = parameters.get("wait");
  if (text === null) return null;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return seconds <= MAX_WAIT_SECONDS ? seconds : undefined;
}

/** How long a list at an address waits for servers that connect for the first time; null for the usual time. */
export function readListWait(address: string): number | null {
  if (!address.includes("wait=")) return null;
  const seconds = readWaitSeconds(new URLSearchParams(address.split("?", 2)[1])) ?? null;
  return seconds === null ? null : seconds * 1000;
}

/** For a token or a user limited to other toolsets; null where the address may be used. */
function refuseView({ token }: Principal, { toolset }: ViewQuery): RefusedAddress | null {
  const byGroups = explainGroupLimit(token, toolset);
  if (byGroups !== null) return { status: 403, message: byGroups };
  const limits = token?.toolsets ?? null;
  if (toolset === undefined || limits === null || limits.includes(toolset)) return null;
  const message = `This token is not for the toolset '${toolset}': use /mcp/sets/ with one of ${limits.join(", ")}`;
  return { status: 403, message };
}

const printable = (text: string): string => text.replace(/[^\w./-]/g, "?").slice(0, 100);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
