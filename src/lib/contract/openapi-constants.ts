import type { ToolDefinition } from "./tool-definition";

/** The prefix of a large document that the console sends: its text in gzip and Base64. */
export const COMPRESSED_DOCUMENT = "data:application/gzip;base64,";

/** The key in `_meta` of an OpenAPI tool's definition (`method`, `path`) and result (`status`, `statusText`, `headers`). */
export const HTTP_META_KEY = "toolroom/http";

/** The implementation as people see it: operations of an API run as tools of a server do. */
export function getImplementation({ implementation, _meta }: ToolDefinition): string {
  const isOperation = typeof _meta === "object" && _meta !== null && Object.hasOwn(_meta, HTTP_META_KEY);
  return implementation.type === "mcp" && isOperation ? "openapi" : implementation.type;
}
