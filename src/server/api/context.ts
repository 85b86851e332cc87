import type { Principal } from "../../lib/contract";
import { CONSOLE_HEADER } from "../../lib/contract/console-header";
import type { Container } from "../composition/container";
import { currentContainer } from "../composition/current-container";
import { findAppError } from "../shared/app-error";

export interface RequestContext {
  /** Null for a request of nobody, which every procedure refuses. */
  actor: Principal | null;
  /** Why nobody; null where nothing was sent. */
  refusal: string | null;
  /** The browser session of the request; null for a token, and while accounts are off. */
  sessionId: string | null;
  /** The console identifies itself by a header; every other HTTP client is `api`. */
  source: "console" | "api";
  services: Container["services"];
  /** Aborts when the server begins to stop; streams end with it. */
  stopping: AbortSignal;
}

/** What a procedure gets: somebody makes the request. */
export interface ApiContext extends Omit<RequestContext, "actor" | "refusal"> {
  actor: Principal;
}

export async function createContext({ headers }: { headers: Headers }): Promise<RequestContext> {
  const { access, services, stopping } = await currentContainer();
  const source = headers.get(CONSOLE_HEADER) === null ? "api" : "console";
  const found = await access.authenticate(headers).catch((error: unknown) => refusalOf(error));
  const actor = found === null || "refusal" in found ? null : found;
  const refusal = found !== null && "refusal" in found ? found.refusal : null;
  const sessionId = actor === null ? null : await access.sessionId(headers);
  return { actor, refusal, sessionId, source, services, stopping };
}

function refusalOf(error: unknown): { refusal: string } {
  const refusal = findAppError(error);
  if (refusal === null) throw error;
  return { refusal: refusal.message };
}
