import { type Actor, LOCAL_OWNER } from "../../lib/contract";
import { CONSOLE_HEADER } from "../../lib/contract/console-header";
import type { Container } from "../composition/container";
import { currentContainer } from "../composition/current-container";

export interface ApiContext {
  actor: Actor;
  /** The console identifies itself by a header; every other HTTP client is `api`. */
  source: "console" | "api";
  services: Container["services"];
  /** Aborts when the server begins to stop; streams end with it. */
  stopping: AbortSignal;
}

/** Until there are accounts, every request is made by the local owner. */
export async function createContext(request: { headers: Headers }): Promise<ApiContext> {
  const container = await currentContainer();
  const source = request.headers.get(CONSOLE_HEADER) === null ? "api" : "console";
  return { actor: LOCAL_OWNER, source, services: container.services, stopping: container.stopping };
}
