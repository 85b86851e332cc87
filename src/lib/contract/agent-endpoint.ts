import { TOOL_SEPARATOR } from "./tool-definition";

/** `/mcp/toolroom` serves Toolroom's own operations as tools: the name takes the place of a server's. */
export const AGENT_ENDPOINT = "toolroom";

/** The name under which a call at the endpoint is recorded, so that it is never taken for a tool of the catalog. */
export const toRecordedName = (tool: string): string => AGENT_ENDPOINT + TOOL_SEPARATOR + tool;

/** Tells whether a call was made at the endpoint. A server with the endpoint's name records calls under the same names. */
export const isRecordedName = (toolName: string, serverName: string | null): boolean =>
  toolName.startsWith(AGENT_ENDPOINT + TOOL_SEPARATOR) && serverName !== AGENT_ENDPOINT;
