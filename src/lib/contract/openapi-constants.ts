import type { ToolDefinition } from "./tool-definition";

/** The prefix of a large document that the console sends: its text in gzip and Base64. */
export const COMPRESSED_DOCUMENT = "data:application/gzip;base64,";

/** The key in `_meta` of an OpenAPI tool's definition (`method`, `path`) and result (`status`, `statusText`, `headers`). */
export const HTTP_META_KEY = "toolroom/http";

/** Whether the tool is an operation of an API, which runs as a tool of a server does. */
export function isApiOperation({ implementation, _meta }: ToolDefinition): boolean {
  const hasRequest = typeof _meta === "object" && _meta !== null && Object.hasOwn(_meta, HTTP_META_KEY);
  return implementation.type === "mcp" && hasRequest;
}

/** The implementation as users see it. */
export const getImplementation = (definition: ToolDefinition): string =>
  isApiOperation(definition) ? "openapi" : definition.implementation.type;
