import { parseAsString, parseAsStringLiteral } from "nuqs/server";

export const APPROVAL_TABS = ["open", "decided"] as const;
export type ApprovalTab = (typeof APPROVAL_TABS)[number];

/** The inbox in the address; server and browser read the same. */
export const APPROVAL_PARAMS = {
  tab: parseAsStringLiteral(APPROVAL_TABS).withDefault("open"),
  /** The execution whose approval is chosen. */
  id: parseAsString,
};

export const APPROVAL_ROWS = 50;
