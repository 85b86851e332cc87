/** The user or program behind a service call. Until there are accounts, always the local owner. */
export interface Actor {
  id: string;
  name: string;
}

export const LOCAL_OWNER: Actor = { id: "local-owner", name: "Local owner" };
