/** What an MCP server may request while its tool runs: a form, a page to open, a model's response. */
export const INTERACTION_KINDS = ["form", "url", "sampling"] as const;
export type InteractionKind = (typeof INTERACTION_KINDS)[number];
