import type { Principal } from "../../../lib/contract/access";
import type { AuditDoor } from "../../../lib/contract/audit";
import { CONSOLE_HEADER } from "../../../lib/contract/console-header";
import { type AppError, findAppError } from "../../platform/shared/app-error";
import type { OnAccessChange } from "../../platform/shared/watch-reader";
import type { Container } from "../container";
import { currentContainer } from "../current-container";

export interface RequestContext {
  /** Null for a request without authentication, which every procedure refuses. */
  actor: Principal | null;
  /** The reason why the request has no actor; null when it sent no credential. */
  refusal: AppError | null;
  /** The browser session of the request; null for a token, and while accounts are off. */
  sessionId: string | null;
  /** The console identifies itself by a header; every other HTTP client is `api`. */
  source: "console" | "api";
  services: Container["services"];
  /** Returns who makes the request now, not counted again; null once signed out. Streams ask it while they are open. */
  recheck: () => Promise<Principal | null>;
  /** Notifies when access changes; absent: access is checked at intervals only. */
  onAccessChange?: OnAccessChange;
  /** Aborts when the server begins to stop; streams end with it. */
  stopping: AbortSignal;
}

/** The context of a procedure, which always has a user. */
export interface ApiContext extends Omit<RequestContext, "actor" | "refusal"> {
  actor: Principal;
}

interface ContextOptions {
  headers: Headers;
  /** Counts the request for the rate limits: each request from outside once. */
  counted?: boolean;
  /** Set where the request comes neither from the console nor from a program that speaks tRPC. */
  door?: AuditDoor;
}

export async function createContext({ headers, counted = false, door }: ContextOptions): Promise<RequestContext> {
  const { access, stopping, ...container } = await currentContainer();
  const source = headers.get(CONSOLE_HEADER) === null ? "api" : "console";
  let actor: Principal | null = null;
  let refusal: AppError | null = null;
  const authenticate = () => access.authenticate(headers, door ?? source);
  try {
    actor = await (counted ? access.enter(headers, door ?? source) : authenticate());
  } catch (error) {
    refusal = findAppError(error);
    if (refusal === null) throw error;
  }
  const sessionId = actor === null || !access.accounts ? null : await access.sessionId(headers);
  const services = actor === null ? container.services : container.servicesFor(actor);
  const recheck = () => authenticate().catch(() => null);
  return { actor, refusal, sessionId, source, services, recheck, onAccessChange: access.onChange, stopping };
}

/** The id of the live event that was written last. */
export async function readLivePosition(): Promise<string> {
  return (await currentContainer()).live.position;
}

/** For the sign-in page, which calls no procedure: the name of the identity provider, and whether it is the only way. */
export async function readSignOn(): Promise<{ name: string | null; only: boolean }> {
  const { signOnName, onlySignOn } = await currentContainer();
  return { name: signOnName, only: onlySignOn };
}

/** For pages without the console around them: why others may do everything here; null where they cannot. */
export async function readExposure(): Promise<string | null> {
  return (await currentContainer()).outsideGuard.exposure();
}
