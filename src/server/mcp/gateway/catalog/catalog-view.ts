import { getUiResource } from "../../../../lib/apps/tool-app";
import { admitsTool, explainDenial, type Principal } from "../../../../lib/contract/access";
import { AGENT_ENDPOINT } from "../../../../lib/contract/agent-endpoint";
import { getServerName, TOOL_SEPARATOR, type ToolDefinition } from "../../../../lib/contract/tool-definition";
import { copyDigits, hasDigits } from "../../../../lib/json/number-digits";
import type { ProvidedTool } from "../../../engine/agent/run-starter";
import type { ServedCassette } from "../../../engine/cassettes/cassette-ports";
import type { ViewQuery as ServedPart } from "../../../engine/client-ports";
import type { CallArguments } from "../../../engine/executor/call-arguments";
import { READ_RESULT } from "../../../engine/lens/read-result";
import type { ToolContext } from "../../../engine/ports";
import { type ListedTool, listTool } from "../../../engine/registry/list-tool";
import type { PreparedTool } from "../../../engine/toolsets/prepare-toolset";
import { isMappedForm, mapUri } from "../../../platform/shared/mapped-uris";
import { mapMeta } from "../../../platform/shared/result-uris";
import { uiOwners } from "../../../platform/shared/ui-resources";
import type { GatewayPorts } from "../gateway-ports";
import { prepareForms, toFormedEntries } from "./client-form";
import { createNaming, stripPrefix } from "./plain-names";
import { catalogName, type Entry, type GatewayCall, isSelected, listRecorded, ToolsetEntries } from "./toolset-entries";

/** The part of the catalog that an address serves, or a cassette in its place. */
export interface ViewQuery extends ServedPart {
  /** `/mcp/cassettes/<name>`: recorded tools and calls. */
  cassette?: { name: string; served: ServedCassette; label: string | null; faults: string | null };
}

/** Large, since clients of the first SDK generation read one page only. */
const PAGE_SIZE = 1000;

/** Names that stay the same call after call: what has no order of its own is sorted by them. */
const byName = (left: Entry, right: Entry): number =>
  left.listed.name < right.listed.name ? -1 : left.listed.name > right.listed.name ? 1 : 0;

/** Whether tools of a server belong to a part of the catalog. @param owner null for tools of Toolroom itself */
export function servesServer({ server, servers }: ServedPart, owner: string | null): boolean {
  if (server !== null) return owner === server;
  return servers === undefined || (owner !== null && servers.includes(owner));
}

function toCatalogCall(definition: ToolDefinition, calledAs: string, args: CallArguments): GatewayCall {
  return { name: definition.name, args, definition, calledAs, options: { calledAs } };
}

/** One part of the catalog: its list, and which tool a name means in it. Worked out on first use after a change. */
export class CatalogView {
  #entries: Entry[] | null = null;
  /** The list before the catalog changed, until a client asks whether that made a difference. */
  #before: Entry[] | null = null;
  /** The entries in the form of `?for=`. */
  #formed: { of: readonly Entry[]; entries: readonly Entry[] } | null = null;
  #searched: { entries: readonly Entry[]; hasDigits: boolean } | null = null;
  #byName: ReadonlyMap<string, ToolDefinition> = new Map();
  #toolset: ToolsetEntries | null = null;
  #reader: ProvidedTool | null = null;
  #holders = 0;

  /**
   * @param key the same key for the same part of the catalog and the same caller, in any object
   * @param principal the caller, with the rights of the last request
   */
  constructor(
    readonly key: string,
    readonly query: ViewQuery,
    public principal: Principal,
    private readonly ports: Pick<
      GatewayPorts,
      "tools" | "listedOrder" | "aliasNames" | "serverNames" | "toolset" | "getLens" | "readResult" | "agentTools"
    >,
  ) {}

  /** Whether a session or a call uses it. */
  get held(): boolean {
    return this.#holders > 0;
  }

  hold(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
  }

  /** One page. @param after the name after which it begins; null for the first page */
  page(after: string | null, size = PAGE_SIZE): { tools: ListedTool[]; last: string | null; hasDigits: boolean } {
    const entries = this.listed();
    const from = after === null ? 0 : this.#indexAfter(entries, after);
    if (from < 0) return { tools: [], last: null, hasDigits: false };
    const page = entries.slice(from, from + size);
    return {
      tools: page.map(({ listed }) => listed),
      last: from + size < entries.length ? (page.at(-1)?.listed.name ?? null) : null,
      hasDigits: this.hasDigits,
    };
  }

  /** Whether a number of the list has digits that JSON would write in another way. Searched once for each list: it is served many times. */
  get hasDigits(): boolean {
    const entries = this.listed();
    if (this.#searched?.entries !== entries) {
      this.#searched = { entries, hasDigits: entries.some(({ listed }) => hasDigits(listed)) };
    }
    return this.#searched.hasDigits;
  }

  /**
   * In a server's own order, the list ends after a removed tool: its client is notified of the change and reads again.
   */
  #indexAfter(entries: readonly Entry[], name: string): number {
    const at = entries.findIndex(({ listed }) => listed.name === name);
    if (at >= 0) return at + 1;
    return this.query.server === null ? entries.findIndex(({ listed }) => listed.name > name) : -1;
  }

  /** Every tool of the view, with its definition. */
  listed(): readonly Entry[] {
    const { form } = this.query;
    const entries = this.#read();
    if (form === undefined) return entries;
    if (this.#formed?.of !== entries) this.#formed = { of: entries, entries: toFormedEntries(entries, form) };
    return this.#formed.entries;
  }

  /** Called before a list: makes the forms of its tools in slices. */
  async prepareForms(): Promise<void> {
    const { form } = this.query;
    if (form !== undefined) await prepareForms(this.#read(), form);
  }

  /** Finds a tool by the listed name or by the catalog's. */
  find(name: string): ToolDefinition | undefined {
    this.#read();
    return this.#byName.get(name);
  }

  /** Returns the call behind a name; null for an unknown name. */
  resolve(name: string, args: CallArguments): GatewayCall | null {
    const definition = this.find(name);
    if (this.servesAgents) return definition === undefined ? null : this.#agentCall(definition, name, args);
    if (this.#reader !== null && name === READ_RESULT) {
      const { definition } = this.#reader;
      return { ...toCatalogCall(definition, name, args), options: { provided: this.#reader } };
    }
    if (this.#toolset !== null) return this.#toolset.resolve(name, args);
    return definition === undefined ? null : toCatalogCall(definition, name, args);
  }

  /** Whether it is the view of `/mcp/toolroom`. */
  get servesAgents(): boolean {
    return this.query.server === AGENT_ENDPOINT && this.ports.agentTools?.isServed() === true;
  }

  /** The rights are those of the request that makes the call, not of the one that opened the view. */
  #agentCall(definition: ToolDefinition, calledAs: string, args: CallArguments): GatewayCall {
    const run = (given: Record<string, unknown>, context: ToolContext): Promise<unknown> =>
      this.ports.agentTools?.perform(this.principal, calledAs, given, context) ?? Promise.resolve(null);
    const permission = this.ports.agentTools?.list().find(({ name }) => name === calledAs)?.permission;
    const isRefused = permission !== undefined && explainDenial(this.principal, permission) !== null;
    return {
      ...toCatalogCall(definition, calledAs, args),
      options: { calledAs, provided: { definition, run, ruledAs: "agent", isRefused } },
    };
  }

  /** The catalog's name for a tool that is not known yet: its server may still be connecting. */
  catalogName(name: string): string {
    const { server, plainNames, toolset } = this.query;
    if (toolset !== undefined) return catalogName(this.ports.toolset?.(toolset)?.toolset, name);
    if (server === null || !plainNames || name.startsWith(server + TOOL_SEPARATOR)) return name;
    return server + TOOL_SEPARATOR + name;
  }

  /** Whether a tool of this name in the catalog would belong here. */
  admits(name: string): boolean {
    const { server, tools, toolset } = this.query;
    const prefix = server === null ? "" : server + TOOL_SEPARATOR;
    if (!name.startsWith(prefix)) return false;
    const owner = this.ports.serverNames().find((each) => name.startsWith(each + TOOL_SEPARATOR)) ?? null;
    if (!servesServer(this.query, owner)) return false;
    if (!this.#isWithinLimits(name, owner)) return false;
    if (toolset !== undefined && !isSelected(this.ports.toolset?.(toolset)?.toolset, name, owner)) return false;
    if (tools === null || tools.includes(name)) return true;
    const listed = this.query.plainNames ? stripPrefix(name, owner) : this.ports.aliasNames([name]).get(name);
    return listed !== undefined && tools.includes(listed);
  }

  #isWithinLimits(name: string, server: string | null): boolean {
    const { token } = this.principal;
    return token === null || admitsTool(token, name, server, this.query.toolset);
  }

  get isRecorded(): boolean {
    return this.query.cassette !== undefined;
  }

  /** Whether a tool of this name may come to the catalog at any moment and would belong elsewhere. */
  isForeign(name: string): boolean {
    return !this.admits(name) && this.ports.serverNames().some((server) => name.startsWith(server + TOOL_SEPARATOR));
  }

  /** The requested names that no tool has now. */
  unknownNames(): string[] {
    this.#read();
    return (this.query.tools ?? []).filter((name) => !this.#byName.has(name));
  }

  /** Called when the catalog changed: the next read reloads it. */
  invalidate(): void {
    this.#before ??= this.#entries;
    this.#entries = null;
  }

  /** Whether this part of the catalog has changed since the last call, as far as it has been read. */
  takeChange(): boolean {
    const before = this.#before;
    this.#before = null;
    if (before === null) return false;
    const after = this.#read();
    return (
      after.length !== before.length ||
      after.some(({ definition, listed }, index) => {
        const other = before[index];
        return (
          other?.definition !== definition ||
          other.listed.name !== listed.name ||
          other.listed.outputSchema !== listed.outputSchema
        );
      })
    );
  }

  /** Whether clients can read the parts that a lens left out. */
  get readsResults(): boolean {
    return this.#reader !== null;
  }

  /** `read_result` is listed where a tool has a lens, unless a tool has its name. */
  #withReader(entries: Entry[], isUseful: boolean): Entry[] {
    const { readResult } = this.ports;
    this.#reader = isUseful && !this.#byName.has(READ_RESULT) ? (readResult?.(this) ?? null) : null;
    if (this.#reader === null) return entries;
    const { definition } = this.#reader;
    return [...entries, { definition, listed: listTool(definition, definition.name) }];
  }

  /** A client would refuse a projection that does not match the schema, so a tool with a lens is listed without one. */
  #withoutPromise(listed: ListedTool, hasLens: boolean): ListedTool {
    if (listed.outputSchema === undefined || !hasLens) return listed;
    const { outputSchema: _promised, ...rest } = listed;
    return rest as ListedTool;
  }

  readonly #hasLens = ({ name }: ToolDefinition): boolean => (this.ports.getLens?.(name) ?? null) !== null;

  /** A toolset may set another lens for a tool, or remove it. */
  readonly #hasLensInSet = ({ original, override }: PreparedTool): boolean =>
    override?.lens === undefined ? this.#hasLens(original) : override.lens !== null;

  #read(): Entry[] {
    if (this.#entries !== null) return this.#entries;
    const { tools: wanted, server, toolset, cassette } = this.query;
    if (this.servesAgents) return this.#readAgentTools();
    if (cassette !== undefined) return this.#readCassette(cassette.served);
    if (toolset !== undefined) return this.#readToolset(toolset);
    const definitions = this.ports.tools().filter((tool) => {
      const owner = getServerName(tool);
      return servesServer(this.query, owner) && this.#isWithinLimits(tool.name, owner);
    });
    const getName = createNaming(this.query, definitions, this.ports.aliasNames);
    const requested = wanted === null ? null : new Set(wanted);
    const chosen = definitions.filter(
      (tool) => requested === null || requested.has(tool.name) || requested.has(getName(tool)),
    );
    const definitionByName = new Map(definitions.map((tool) => [tool.name, tool]));
    const nameOfName = (name: string): string => {
      const tool = definitionByName.get(name);
      return tool === undefined ? name : getName(tool);
    };
    const withUi = server === null ? mapUiResources(this.ports.tools()) : null;
    const entries = chosen.map((definition) => {
      const listed = this.#withoutPromise(
        listTool(definition, getName(definition), nameOfName),
        this.#hasLens(definition),
      );
      return { definition, listed: withUi === null ? listed : withUi(definition, listed) };
    });
    // True names first: where a plain name equals another tool's catalog name, what is listed is what is meant.
    const named = new Map(chosen.map((tool) => [tool.name, tool]));
    for (const tool of chosen) named.set(getName(tool), tool);
    this.#byName = named;
    this.#entries = this.#withReader(entries, chosen.some(this.#hasLens)).sort(this.#byOrder());
    return this.#entries;
  }

  #readAgentTools(): Entry[] {
    const { tools: wanted } = this.query;
    const served = (this.ports.agentTools?.list() ?? []).filter(({ name }) => wanted === null || wanted.includes(name));
    this.#byName = new Map(served.map(({ name, definition }) => [name, definition]));
    this.#entries = served
      .map(({ name, definition }) => ({ definition, listed: listTool(definition, name) }))
      .sort(byName);
    return this.#entries;
  }

  /** Orders by name; at the address of a server, by the server's own order. */
  #byOrder(): (left: Entry, right: Entry) => number {
    const { server } = this.query;
    if (server === null) return byName;
    const ranks = new Map(this.ports.listedOrder?.(server).map((name, rank) => [name, rank]));
    const getRank = ({ definition }: Entry): number => ranks.get(definition.name) ?? ranks.size;
    return (left, right) => getRank(left) - getRank(right) || byName(left, right);
  }

  /** The tools in the recorded order. A token that is limited to some tools gets the recordings of these only. */
  #readCassette(served: ServedCassette): Entry[] {
    this.#entries = listRecorded(served).filter(({ definition: tool }) =>
      this.#isWithinLimits(tool.name, getServerName(tool)),
    );
    this.#byName = new Map(this.#entries.map(({ definition }) => [definition.name, definition]));
    return this.#entries;
  }

  #readToolset(name: string): Entry[] {
    const { tools: wanted } = this.query;
    const prepared = this.ports.toolset?.(name) ?? null;
    const admits = ({ original, shown }: PreparedTool): boolean => {
      const isWanted = wanted === null || wanted.includes(original.name) || wanted.includes(shown.name);
      return isWanted && this.#isWithinLimits(original.name, getServerName(original));
    };
    this.#toolset = new ToolsetEntries(prepared, admits, (listed, tool) =>
      this.#withoutPromise(listed, this.#hasLensInSet(tool)),
    );
    this.#byName = this.#toolset.byName;
    const withUi = mapUiResources(this.ports.tools());
    const entries = this.#toolset.entries.map(({ definition, listed }) => ({
      definition,
      listed: withUi(definition, listed),
    }));
    const admitted = (prepared?.tools ?? []).filter(admits);
    this.#entries = this.#withReader(entries, admitted.some(this.#hasLensInSet));
    return this.#entries;
  }
}

/** For an address with several servers: maps user interfaces that tools of more than one server name by the same URI. */
function mapUiResources(tools: readonly ToolDefinition[]) {
  const owners = uiOwners(tools);
  return (definition: ToolDefinition, listed: ListedTool): ListedTool => {
    const server = getServerName(definition);
    if (server === null || getUiResource(definition) === null) return listed;
    const isShared = (uri: string): boolean => isMappedForm(uri) || (owners.get(uri)?.length ?? 0) > 1;
    return copyDigits(
      listed,
      mapMeta(listed, (uri) => (isShared(uri) ? mapUri(server, uri) : uri)),
    ) as ListedTool;
  };
}
