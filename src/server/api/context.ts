import { type Actor, LOCAL_OWNER } from "../../lib/contract";
import type { Container } from "../container";
import { currentContainer } from "../current-container";

export interface ApiContext {
  actor: Actor;
  services: Container["services"];
  /** Aborts when the server begins to stop; streams end with it. */
  stopping: AbortSignal;
}

/** Who asks and what can be asked. Accounts will look at the headers; until then everyone is the local owner. */
export async function createContext(_request: { headers: Headers }): Promise<ApiContext> {
  const container = await currentContainer();
  return { actor: LOCAL_OWNER, services: container.services, stopping: container.stopping };
}
