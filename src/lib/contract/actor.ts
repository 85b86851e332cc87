import type { Actor } from "./actor-schema";

export type { Actor } from "./actor-schema";

/** The token of `TOOLROOM_API_TOKEN`: no user. */
export const AUTOMATION: Actor = { id: "automation", name: "Automation" };

export const LOCAL_OWNER: Actor = { id: "local-owner", name: "Local owner" };
