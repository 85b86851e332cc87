import { isPlainObject } from "../contract/json";

/** The identifier of the extension of MCP Apps. */
export const APPS_EXTENSION = "io.modelcontextprotocol/ui";
/** The type of a resource that a host may show as an App. */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

type Described = { readonly [key: string]: unknown };

/** The resource that shows a tool's calls in hosts of MCP Apps; null for a tool without one. */
export function getUiResource({ _meta: meta }: Described): string | null {
  if (!isPlainObject(meta)) return null;
  const named = isPlainObject(meta.ui) ? meta.ui.resourceUri : undefined;
  // The form of hosts that implemented a draft of the extension.
  const uri = named ?? meta["ui/resourceUri"];
  return typeof uri === "string" ? uri : null;
}

/** Whether models may be offered the tool, or Apps of its server may call it; both unless the server says otherwise. */
export function isVisibleTo({ _meta: meta }: Described, audience: "model" | "app"): boolean {
  const visibility = isPlainObject(meta) && isPlainObject(meta.ui) ? meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes(audience);
}
