import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { TOOL_SEPARATOR } from "../../../../lib/contract/tool-definition";
import type { GatewayPorts } from "../gateway-ports";

/** How an address calls its tools, by their catalog names. @param tools all of the address */
export function createNaming(
  { server, plainNames }: { server: string | null; plainNames: boolean },
  tools: readonly ToolDefinition[],
  aliasNames: GatewayPorts["aliasNames"],
): (tool: ToolDefinition) => string {
  if (plainNames && server !== null) return getOwnName;
  const aliases = aliasNames(tools.map(({ name }) => name));
  const names = plainNames ? findPlainNames(tools, aliases) : aliases;
  return ({ name }) => names.get(name) ?? name;
}

/** The name that its own server has for a tool; tools of Toolroom have one name only. */
function getOwnName({ name, implementation }: ToolDefinition): string {
  return implementation.type === "mcp" ? (implementation.tool as string) : name;
}

/**
 * The names at an address with several servers under `names=plain`: a server's own name where no other tool has it in any
 * form, else the name that the address has without `names=plain`.
 */
function findPlainNames(tools: readonly ToolDefinition[], aliases: ReadonlyMap<string, string>): Map<string, string> {
  const claims = new Map<string, number>();
  for (const tool of tools) {
    const names = new Set([getOwnName(tool), tool.name, aliases.get(tool.name) ?? tool.name]);
    for (const name of names) claims.set(name, (claims.get(name) ?? 0) + 1);
  }
  return new Map(
    tools.map((tool) => {
      const own = getOwnName(tool);
      return [tool.name, claims.get(own) === 1 ? own : (aliases.get(tool.name) ?? tool.name)];
    }),
  );
}

/** A server's own name for a tool, as far as it follows from the name in the catalog. */
export function stripPrefix(name: string, server: string | null): string {
  return server === null ? name : name.slice(server.length + TOOL_SEPARATOR.length);
}
