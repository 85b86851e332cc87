import { SERVER_KINDS } from "./contract/server-kind";
import type { SuggestedServer } from "./contract/server-list";

/** The words by which a search finds a server beside its name. */
export const toServerKeywords = ({ transport, title, target }: Omit<SuggestedServer, "name" | "status">): string =>
  `open ${SERVER_KINDS[transport].speaksMcp ? "mcp" : "openapi api"} ${title ?? ""} ${target}`;
