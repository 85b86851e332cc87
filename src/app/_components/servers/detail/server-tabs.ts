import { parseAsStringLiteral } from "nuqs/server";

export const SERVER_TABS = [
  "tools",
  "changes",
  "resources",
  "prompts",
  "calls",
  "log",
  "messages",
  "settings",
] as const;
export type ServerTab = (typeof SERVER_TABS)[number];

/** The open tab is in the address. */
export const serverTabParser = parseAsStringLiteral(SERVER_TABS).withDefault("tools");
