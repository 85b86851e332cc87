import { compareOwners } from "@/lib/compare-for-readers";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolSelection } from "@/lib/contract/run";

type Some = Extract<ToolSelection, { mode: "some" }>;
type Tool = Pick<ToolSummary, "name" | "server">;

/** The tools of one server, or, `server` null, the team's own. */
export interface ToolGroup<T extends Tool> {
  server: string | null;
  tools: T[];
}

/** The team's own first, then each server, by name. */
export function groupTools<T extends Tool>(tools: readonly T[]): ToolGroup<T>[] {
  const groups = new Map<string | null, T[]>();
  for (const tool of tools) groups.set(tool.server, [...(groups.get(tool.server) ?? []), tool]);
  return [...groups]
    .sort(([one], [other]) => compareOwners(one, other))
    .map(([server, members]) => ({ server, tools: members }));
}

export function isChosen(selection: Some, { name, server }: Tool): boolean {
  return selection.tools.includes(name) || (server !== null && selection.servers.includes(server));
}

/** One tool more or less. Taking one from a server that was meant whole leaves its others, by name. */
export function withTool(selection: Some, tool: Tool, chosen: boolean, all: readonly Tool[]): Some {
  const { name, server } = tool;
  if (chosen) return { ...selection, tools: [...new Set([...selection.tools, name])] };
  const others = selection.tools.filter((each) => each !== name);
  if (server === null || !selection.servers.includes(server)) return { ...selection, tools: others };
  const siblings = all.filter((each) => each.server === server && each.name !== name).map((each) => each.name);
  return {
    ...selection,
    tools: [...new Set([...others, ...siblings])],
    servers: selection.servers.filter((each) => each !== server),
  };
}

/** A server's tools, now and later; of the team's own the ones there are. */
export function withGroup(selection: Some, group: ToolGroup<Tool>, chosen: boolean): Some {
  const names = new Set(group.tools.map(({ name }) => name));
  const others = selection.tools.filter((name) => !names.has(name));
  const servers = selection.servers.filter((each) => each !== group.server);
  if (!chosen) return { ...selection, tools: others, servers };
  if (group.server !== null) return { ...selection, tools: others, servers: [...servers, group.server] };
  return { ...selection, tools: [...others, ...names], servers };
}

interface OfferedTools {
  /** The number of all tools. */
  all: number;
  /** Read for a choice among them; absent until then. */
  tools: readonly Tool[] | undefined;
}

/** How many tools of the catalog a model would be offered; null while that is not known. */
export function countChosen(selection: ToolSelection, { all, tools }: OfferedTools): number | null {
  if (selection.mode === "all") return all;
  if (selection.mode !== "some") return 0;
  return tools?.filter((tool) => isChosen(selection, tool)).length ?? null;
}
