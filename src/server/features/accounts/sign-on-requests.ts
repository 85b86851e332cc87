import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import type { IssuedTokens, ProvenIdentity } from "../../../lib/contract/proven-identity";
import { SIGN_ON_PROBLEMS, type SignOnProblem } from "../../../lib/contract/sign-on-problem";
import { getMessage } from "../../../lib/get-message";
import { resolveOwnPath } from "../../../lib/http-guard/own-path";
import { AppError } from "../../platform/shared/app-error";
import type { OnAccessChange } from "../../platform/shared/watch-reader";
import type { AuditLog } from "../audit/audit-log";
import { getOrigin } from "./access";
import type { AuthLibrary } from "./account-ports";
import { endNewSession, watchAccessChanges } from "./sign-in-changes";
import { type Admission, SignOnRefusal } from "./sign-on-admission";

export interface SignOnRequestPorts {
  auth: Pick<AuthLibrary, "startSingleSignOn" | "finishSingleSignOn" | "handle">;
  admission: Admission;
  /** The provider's name for users. */
  name: string;
  /** The origin of the public URL, to which the provider sends users back. */
  origin: string;
  authenticate(headers: Headers): Promise<Principal | null>;
  onAccessChange: OnAccessChange;
  audit: Pick<AuditLog, "record">;
  /** Keeps the provider's tokens of a sign-in, for servers that the provider lets the user in to. */
  keepTokens(user: string, tokens: IssuedTokens): Promise<void>;
  logger: { error(fields: object, message: string): void };
}

export type SignOnRequests = ReturnType<typeof createSignOnRequests>;

const ACCOUNT_PAGE = "/settings/account";

/** The two requests of single sign-on: to the identity provider and back. */
export function createSignOnRequests(ports: SignOnRequestPorts) {
  const { auth, admission, name, origin, authenticate, audit, logger } = ports;

  async function start(request: Request, body: Record<string, unknown>): Promise<Response> {
    // The provider sends users back to this host, which needs the cookie that binds the sign-in to the browser.
    const host = request.headers.get("host") ?? new URL(request.url).host;
    if (host.toLowerCase() !== new URL(origin).host) {
      throw new AppError("INVALID", `Sign in with ${name} works at ${origin} only: open the console there`);
    }
    const connects = body.connect === true;
    const user = connects ? await authenticate(request.headers) : null;
    if (connects && (user === null || user.token !== null)) throw new AppError("DENIED", "Sign in first");
    const connectTo = user?.id ?? null;
    const returnPath = resolveOwnPath(body.to) ?? (connects ? ACCOUNT_PAGE : "/");
    const response = await auth.startSingleSignOn(request, { returnPath, connectTo }).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      // Names and addresses of a private network are not for users who are not signed in.
      logger.error({ err: error }, "The identity provider could not be reached");
      throw new AppError("UNAVAILABLE", `${name} could not be reached: try again, or ask an admin of this server`);
    });
    if (response.status === 429)
      throw new AppError("TOO_MANY_REQUESTS", "Too many tries from this address: wait a minute");
    if (!response.ok) throw new Error(`The auth library refused to start single sign-on: ${response.status}`);
    // Takes the address only: the rest of the answer is for the library.
    const { url } = (await response.json()) as { url: string };
    const answer = Response.json({ url }, { headers: { "cache-control": "no-store" } });
    for (const cookie of response.headers.getSetCookie()) answer.headers.append("set-cookie", cookie);
    return answer;
  }

  async function finish(request: Request): Promise<Response> {
    const from = getOrigin(request.headers, "console");
    const admitted: { id: string; changes: ReturnType<typeof watchAccessChanges> }[] = [];
    const finishing = auth.finishSingleSignOn(request, async (identity, { connectTo }) => {
      if (connectTo !== null && (await authenticate(request.headers))?.id !== connectTo) {
        throw new SignOnRefusal("expired", "The user who connects the identity is no longer signed in");
      }
      const user = await admission.admit(identity, connectTo, from);
      // Recorded before the session begins: a sign-in without an entry must not happen.
      const { id, email } = user;
      // The admission itself may have changed the role.
      admitted.push({ id, changes: watchAccessChanges(ports.onAccessChange) });
      const target = { kind: "account", name: email };
      const by = { id, name: user.name, token: null, origin: from };
      await audit.record({ by, action: "signIn", target, outcome: "done", after: { with: name } });
      return user;
    });
    const ended = await finishing.finally(() => admitted.forEach(({ changes }) => void changes.stop()));
    const changed = admitted.some(({ id, changes }) => changes.includes(id));
    if (ended.signedIn && !changed) await keepTokens(admitted[0]?.id, ended.tokens);
    if (ended.signedIn && !changed) return redirect(ended.start?.returnPath ?? "/", ended.response);
    if (ended.signedIn) await endNewSession(auth, request, ended.response.headers.getSetCookie());
    const given = changed ? new Response() : ended.response;
    const problem = changed ? "changed" : toProblem(ended.error, new URL(request.url).searchParams);
    if (problem === "failed") logger.error({ err: ended.error }, "A response of the identity provider was refused");
    await refused(from, ended.identity, explain(ended.error, problem));
    const { connectTo = null, returnPath = "/" } = ended.start ?? {};
    if (connectTo !== null) return redirect(`${ACCOUNT_PAGE}?problem=${problem}`, given);
    const to = returnPath === "/" ? "" : `&to=${encodeURIComponent(returnPath)}`;
    return redirect(`/sign-in?problem=${problem}${to}`, given);
  }

  /** The sign-in succeeded, also where these cannot be stored: servers that need them ask for another one. */
  async function keepTokens(user: string | undefined, tokens: IssuedTokens | null): Promise<void> {
    if (user === undefined || tokens === null) return;
    await ports.keepTokens(user, tokens).catch((error: unknown) => {
      logger.error({ err: error }, "The identity provider's tokens could not be stored");
    });
  }

  /** The refusal is the answer, also where this cannot be written. */
  async function refused(from: ReturnType<typeof getOrigin>, identity: ProvenIdentity | null, error: string) {
    const by: Actor = UNKNOWN_ACTOR;
    const email = identity?.email ?? null;
    const target = email === null ? null : { kind: "account", name: email };
    await audit
      .record({ by: { ...by, token: null, origin: from }, action: "signIn", target, outcome: "denied", error })
      .catch(() => undefined);
  }

  /** Answers the part of `/api/auth/*` for single sign-on; null for the rest. */
  return async (request: Request, body: Record<string, unknown>): Promise<Response | null> => {
    switch (`${request.method} ${new URL(request.url).pathname}`) {
      case "POST /api/auth/sign-in/sso":
        return await start(request, body);
      case "GET /api/auth/callback/oidc":
        return await finish(request);
      default:
        return null;
    }
  };
}

const isUnavailable = (error: unknown): boolean => error instanceof Error && error.name === "ProviderUnavailable";

function toProblem(error: unknown, query: URLSearchParams): SignOnProblem {
  if (error instanceof Error && "problem" in error) return (error as SignOnRefusal).problem;
  if (isUnavailable(error)) return "unavailable";
  if (error !== undefined) return "failed";
  return query.has("error") ? "cancelled" : "expired";
}

function explain(error: unknown, problem: SignOnProblem): string {
  return error === undefined ? SIGN_ON_PROBLEMS[problem] : `Single sign-on: ${getMessage(error)}`;
}

function redirect(location: string, { headers: given }: Response): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of given.getSetCookie()) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
