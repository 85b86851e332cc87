/** The user or program behind a service call. Until there are accounts, always the local owner. */
export interface Actor {
  id: string;
  name: string;
}

/** The token of `TOOLROOM_API_TOKEN`: no person. */
export const AUTOMATION: Actor = { id: "automation", name: "Automation" };

export const LOCAL_OWNER: Actor = { id: "local-owner", name: "Local owner" };
