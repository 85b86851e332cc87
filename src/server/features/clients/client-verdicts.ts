import { getUiResource } from "../../../lib/apps/tool-app";
import type { Principal } from "../../../lib/contract/access";
import { CHECKED_CLIENTS, type CheckedClient } from "../../../lib/contract/client-verdict";
import type { ClientVerdict } from "../../../lib/contract/client-verdict-schema";
import { isPlainObject } from "../../../lib/contract/json";
import type { ServedAccess } from "../../../lib/schema/clients/check-access";
import { type CheckedList, checkClient } from "../../../lib/schema/clients/check-client";
import type { CheckedSkill } from "../../../lib/schema/clients/check-skill";
import { type CheckedTool, prepareTool, type ToolAsk } from "../../../lib/schema/clients/check-tool";
import { findProgram } from "../../../lib/schema/clients/find-program";
import type { ServedView, ViewQuery } from "../../engine/client-ports";
import { TimeSlice } from "../../engine/time-slice";
import { AppError } from "../../platform/shared/app-error";

/** The part of the catalog that is checked; all of it where nothing is named. */
export interface CheckedPart {
  tool?: string | undefined;
  server?: string | undefined;
  toolset?: string | undefined;
}

export interface VerdictPorts {
  openView(query: ViewQuery, principal: Principal): ServedView | null;
  readAccess(): Omit<ServedAccess, "serverName" | "offers">;
  /** The offers beside the tools of a server, or of a toolset. */
  readOffers(part: CheckedPart): ServedAccess["offers"];
  /** What tools have asked for while they ran, by their name in the catalog, without what their servers' settings answer. */
  readAsks(): Promise<ReadonlyMap<string, readonly ToolAsk[]>>;
  /** The skills that an address serves to a caller. */
  readSkills(query: ViewQuery, principal: Principal): Promise<readonly CheckedSkill[]>;
  /** Characters of the longest of a tool's newest results, as a reader may see them; null where there are none. */
  readLongestResult(tool: string, principal: Principal): Promise<number | null>;
}

/** The number of findings of each client in the overview; the verdict of one client has more. */
const OVERVIEW_FINDINGS = 20;

export type ClientVerdictService = ReturnType<typeof createClientVerdicts>;

/** What clients do with the tools that they would get, by the rules of their documentation. No client and no tool is called. */
export function createClientVerdicts(ports: VerdictPorts) {
  async function readList(principal: Principal, part: CheckedPart): Promise<CheckedList> {
    const view = openPart(ports, principal, part);
    const entries = chooseEntries(toListEntries(view), part);
    const list = await prepareList(entries, toAccess(ports, view.query), await ports.readAsks());
    const [only] = list.tools;
    if (part.tool !== undefined && only !== undefined) {
      only.longestResult = await ports.readLongestResult(only.catalogName, principal);
    }
    return { ...list, skills: await readSkills(ports, view.query, principal) };
  }

  return {
    /** One client's verdict on a tool, a server, a toolset, or all tools. */
    async check(principal: Principal, client: CheckedClient, part: CheckedPart): Promise<ClientVerdict> {
      return checkClient(client, await readList(principal, part));
    },

    /** The verdicts of all clients. */
    async checkAll(principal: Principal, part: CheckedPart): Promise<ClientVerdict[]> {
      const list = await readList(principal, part);
      const slice = new TimeSlice();
      const verdicts: ClientVerdict[] = [];
      for (const client of CHECKED_CLIENTS) {
        verdicts.push(checkClient(client, list, OVERVIEW_FINDINGS));
        await slice.pause();
      }
      return verdicts;
    },

    /** The verdict of a program that has connected on a list that it was given; null for a program without known rules. */
    async checkGiven(
      { name, query, principal }: GivenTo,
      entries: readonly ListEntry[],
    ): Promise<ClientVerdict | null> {
      const program = findProgram(name);
      if (program === null) return null;
      // A client that has connected reaches Toolroom, and is signed in.
      const access = { ...toAccess(ports, query), isPublic: true, needsAccount: false };
      return checkClient(program, {
        ...(await prepareList(entries, access, await ports.readAsks())),
        skills: await readSkills(ports, query, principal),
      });
    },
  };
}

/** The program that received a list, its address and its rights. */
interface GivenTo {
  name: string;
  query: ViewQuery;
  principal: Principal;
}

/** An address that names single tools serves no skills. */
const readSkills = async (ports: VerdictPorts, query: ViewQuery, principal: Principal) =>
  query.tools === null ? await ports.readSkills(query, principal) : [];

/** A tool in the form of a list. */
interface ListEntry {
  name: string;
  /** The tool's name in the catalog. */
  tool: string;
  entry: unknown;
}

function openPart({ openView }: VerdictPorts, principal: Principal, part: CheckedPart): ServedView {
  const { tool, server, toolset } = part;
  if ([tool, server, toolset].filter((each) => each !== undefined).length > 1) {
    throw new AppError("INVALID", "Name one of tool, server and toolset");
  }
  const query = { server: server ?? null, plainNames: false, tools: tool === undefined ? null : [tool] };
  const view = openView(toolset === undefined ? query : { ...query, toolset }, principal);
  if (view !== null) return view;
  const kind = toolset === undefined ? "Server" : "Toolset";
  throw new AppError("NOT_FOUND", `${kind} '${(toolset ?? server ?? "").slice(0, 200)}' not found`);
}

/** A tool alone: its list may have `read_result` beside it. */
function chooseEntries(entries: ListEntry[], { tool }: CheckedPart): ListEntry[] {
  if (tool === undefined) return entries;
  const chosen = entries.filter((entry) => entry.tool === tool || entry.name === tool);
  if (chosen.length > 0) return chosen;
  throw new AppError("NOT_FOUND", `Tool '${tool.slice(0, 200)}' is not served: it is unknown or disabled`);
}

/** A client's configuration names Toolroom by the part that it uses. */
function toAccess(ports: VerdictPorts, { server, toolset, tools }: ViewQuery): ServedAccess {
  const part = toolset ?? server;
  return {
    ...ports.readAccess(),
    serverName: part === null ? "toolroom" : `toolroom-${part}`,
    // A single tool has no offers beside it.
    offers: tools === null ? ports.readOffers({ server: server ?? undefined, toolset }) : [],
  };
}

/** The list that a client would get, with the catalog's name of each tool, which a toolset may show under another one. */
export function toListEntries(view: ServedView): ListEntry[] {
  const isToolset = view.query.toolset !== undefined;
  return view.listed().map(({ listed, definition }) => ({
    name: listed.name,
    tool: isToolset ? view.catalogName(listed.name) : definition.name,
    entry: listed,
  }));
}

/** Checks schemas one after the other, so that a large list does not block other work. */
async function prepareList(
  entries: readonly ListEntry[],
  access: ServedAccess,
  asks: ReadonlyMap<string, readonly ToolAsk[]>,
): Promise<Omit<CheckedList, "skills">> {
  const slice = new TimeSlice();
  const tools: CheckedTool[] = [];
  for (const entry of entries) {
    const tool = { ...toCheckedTool(entry), asks: asks.get(entry.tool) ?? [] };
    prepareTool(tool);
    tools.push(tool);
    await slice.pause();
  }
  return { tools, access };
}

function toCheckedTool({ name, tool, entry }: ListEntry): Omit<CheckedTool, "asks"> {
  const { description, inputSchema, ...others } = isPlainObject(entry) ? entry : {};
  return {
    name,
    catalogName: tool,
    description: typeof description === "string" ? description : "",
    schema: isPlainObject(inputSchema) ? inputSchema : {},
    hasApp: getUiResource(others) !== null,
    meta: isPlainObject(others._meta) ? others._meta : {},
    longestResult: null,
  };
}
