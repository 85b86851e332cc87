import type { Actor } from "./actor-schema";

export type { Actor } from "./actor-schema";

/** The token of `TOOLROOM_API_TOKEN`: no user. */
export const AUTOMATION: Actor = { id: "automation", name: "Automation" };

/** Ids of service accounts begin with it, and those of no other users. */
export const SERVICE_ACCOUNT_PREFIX = "service_";

/** A user that is a program: it never signs in, and approves nothing. */
export const isServiceAccount = ({ id }: Pick<Actor, "id">): boolean => id.startsWith(SERVICE_ACCOUNT_PREFIX);

export const LOCAL_OWNER: Actor = { id: "local-owner", name: "Local owner" };
