export type { AppDocument, AppDomains } from "./app-schema";

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
