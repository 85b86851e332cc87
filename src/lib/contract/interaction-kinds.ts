/** The kinds of input that an MCP server may request while its tool runs: a form, a page to open, a response of a model. */
export const INTERACTION_KINDS = ["form", "url", "sampling"] as const;
export type InteractionKind = (typeof INTERACTION_KINDS)[number];
