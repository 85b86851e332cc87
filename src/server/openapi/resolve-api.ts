import path from "node:path";
import type { ApiDocumentSource } from "../../lib/contract/api-document";
import type { ApiConnectionSettings } from "../engine/mcp-ports";
import {
  expandValues,
  parseUrl,
  type ResolveContext,
  type ResolvedAddress,
  resolveAddress,
} from "../mcp/client/session/resolve-settings";

/** Where and how to reach an API, with all variables expanded. `url` is its base URL. */
export interface ApiTarget extends ResolvedAddress {
  query: Record<string, string>;
  /** The document with its address or absolute path. */
  document: ApiDocumentSource;
}

/** @throws ConnectionError, naming the setting and the variables that are not set */
export function resolveApi(settings: ApiConnectionSettings, context: ResolveContext): ApiTarget {
  const { expand, redactor, rootDir } = context;
  const address = resolveAddress(settings, context);
  const entered = Object.entries(settings.personalValues ?? {}).filter(([name]) =>
    settings.personal?.query?.includes(name),
  );
  const query = { ...expandValues("query parameter", settings.query, expand), ...Object.fromEntries(entered) };
  const document = { ...settings.document };
  if (document.from === "url") document.url = parseUrl(expand("document URL", document.url, null), redactor).href;
  else if (document.from === "file")
    document.path = path.resolve(rootDir, expand("document path", document.path, null));
  return { ...address, query, document };
}
