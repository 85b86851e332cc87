import { parseAsStringLiteral } from "nuqs/server";

export const SERVER_TABS = [
  "tools",
  "changes",
  "offers",
  "calls",
  "clients",
  "conformance",
  "log",
  "settings",
] as const;
export type ServerTab = (typeof SERVER_TABS)[number];

/** The open tab is in the address. */
export const serverTabParser = parseAsStringLiteral(SERVER_TABS).withDefault("tools");

const LOG_VIEWS = ["output", "messages"] as const;
export type LogView = (typeof LOG_VIEWS)[number];

/** The two views of the Log tab: the output of the server, and its protocol messages. */
export const logViewParser = parseAsStringLiteral(LOG_VIEWS).withDefault("output");

export const OFFERS = ["resources", "prompts", "skills"] as const;
export type OfferKind = (typeof OFFERS)[number];

export const offerParser = parseAsStringLiteral(OFFERS);

/** Tabs of earlier versions, to which older links lead. */
export const OLD_SERVER_TABS = {
  resources: { tab: "offers", of: "resources" },
  prompts: { tab: "offers", of: "prompts" },
  messages: { tab: "log", show: "messages" },
};
