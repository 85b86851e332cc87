/** Origins that an App may use, as sources of a content security policy. */
export interface AppDomains {
  /** For requests of its scripts. */
  connect: string[];
  /** For scripts, styles, images, fonts and media. */
  resource: string[];
  frame: string[];
  /** For the base of relative addresses. */
  baseUri: string[];
}

/** The App of a tool, as the console shows it: what its server gave for the `ui://` resource that the tool names. */
export interface AppDocument {
  uri: string;
  server: string;
  html: string;
  domains: AppDomains;
  /** Declared domains that are no origins, or too many. */
  ignoredDomains: string[];
  /** Names of the browser's features that it asks for; none is granted. */
  permissions: string[];
  /** The tool as its server lists it. */
  tool: Record<string, unknown>;
}

/** Requests that an App may send to its server through Toolroom, beside calls. */
export const APP_REQUESTS = ["tools/list", "resources/list", "resources/templates/list", "resources/read"] as const;
export type AppRequest = (typeof APP_REQUESTS)[number];

/** A text of an App for the model. It goes with a user's next message, as data. */
export interface AppContext {
  /** The execution that the App shows. */
  executionId: string;
  /** The tool's name in the catalog. */
  tool: string;
  text: string;
}

/** Characters that a message takes from all Apps together. */
export const MAX_APP_CONTEXT_CHARS = 16_000;

export function countContextChars(contexts: readonly AppContext[]): number {
  return contexts.reduce((sum, { text }) => sum + text.length, 0);
}
