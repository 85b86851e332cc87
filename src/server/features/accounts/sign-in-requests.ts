import { type Actor, type AuditTarget, linkUseSchema, type Principal, UNKNOWN_ACTOR } from "../../../lib/contract";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { type AppError, findAppError, HTTP_STATUS, invalidInput, retryHeaders } from "../../shared/app-error";
import { originOf } from "../../shared/request-origin";
import type { AuditLog } from "../audit/audit-log";
import type { AccountLinks } from "./account-links";
import type { AuthLibrary } from "./account-ports";
import type { ClientAuthorization } from "./client-authorization";
import type { SignInThrottle } from "./sign-in-throttle";
import type { SignOnRequests } from "./sign-on-requests";

const MAX_BODY_CHARS = 10_000;

export interface SignInRequestPorts {
  auth: AuthLibrary;
  links: Pick<AccountLinks, "preview" | "use">;
  throttle: SignInThrottle;
  /** Counts a request of the address. @throws AppError with the code TOO_MANY_REQUESTS */
  admit(headers: Headers): void;
  audit: AuditLog;
  findPerson(email: string): Promise<Actor | null>;
  /** Who is signed in; null for nobody. */
  authenticate(headers: Headers): Promise<Principal | null>;
  /** Lets MCP clients sign in; null where they may not. */
  clients: Pick<ClientAuthorization, "handle"> | null;
  /** Null without single sign-on. */
  signOn: SignOnRequests | null;
  /** Ends what is remembered of the session of a request. */
  forgetSession(headers: Headers): void;
  logger: { error(fields: object, message: string): void };
}

/** Answers `/api/auth/*`, the only part of the API for people who are not signed in. */
export function createSignInRequests(ports: SignInRequestPorts) {
  const { auth, links, throttle, clients, signOn, logger, forgetSession, admit } = ports;
  const record = createRecorder(ports);

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    admit(request.headers);
    const text = request.method === "POST" ? await request.text() : "";
    if (text.length > MAX_BODY_CHARS) return refuse(413, "The request is too large");
    const body = parse(text);
    switch (`${request.method} ${pathname}`) {
      case "POST /api/auth/link":
        return json(200, await links.preview(String(body.token ?? "")));
      case "POST /api/auth/link/use":
        return await openLink(request, body);
      case "POST /api/auth/sign-in/email":
        return await signIn(request, text, String(body.email ?? ""));
      case "POST /api/auth/sign-out":
        return await signOut(request, text);
      default:
        return (
          (await signOn?.(request, body)) ?? (await clients?.handle(request, text, body)) ?? refuse(404, "Not found")
        );
    }
  }

  async function openLink(request: Request, body: Record<string, unknown>): Promise<Response> {
    const use = parseLinkUse(body);
    try {
      return json(200, await links.use(String(body.token ?? ""), use, originOf(request.headers, "console")));
    } catch (error) {
      const refusal = findAppError(error);
      const isInput = refusal === null || refusal.code === "INVALID";
      if (!isInput) await record.failure(request, "link.refused", "", refusal.message);
      throw error;
    }
  }

  async function signIn(request: Request, text: string, email: string): Promise<Response> {
    const wait = throttle.waitSeconds(email);
    if (wait > 0) {
      const message = `Too many wrong passwords for this account: try again in ${wait} s`;
      await record.failure(request, "signIn", email, "Too many wrong passwords for this account");
      return refuse(429, message, { "retry-after": String(wait) });
    }
    const response = await auth.handle(copyRequest(request, text));
    if (response === null) return refuse(404, "Not found");
    if (response.status === 401) {
      throttle.recordFailure(email);
      await record.failure(request, "signIn", email, "The e-mail address or the password is wrong");
      return refuse(401, "The e-mail address or the password is wrong");
    }
    if (response.status === 429) {
      await record.failure(request, "signIn", email, "Too many tries from this address");
      return tooMany(response);
    }
    if (!response.ok) {
      await record.failure(request, "signIn", email, "This account cannot sign in");
      return refuse(response.status === 403 ? 403 : 400, "This account cannot sign in: ask an admin");
    }
    // Before the cookie: a sign-in without an entry must not happen.
    await record.signIn(request, email);
    throttle.recordSuccess(email);
    // The library's answer holds the session's token, which belongs in the cookie only.
    const headers = new Headers({ "cache-control": "no-store" });
    const secure = request.headers.get("x-forwarded-proto") === "https";
    for (const cookie of response.headers.getSetCookie()) {
      // Behind a trusted proxy with TLS and without TOOLROOM_PUBLIC_URL, which the library does not know of.
      headers.append("set-cookie", secure && !/; *secure\b/i.test(cookie) ? `${cookie}; Secure` : cookie);
    }
    return new Response(null, { status: 204, headers });
  }

  async function signOut(request: Request, text: string): Promise<Response> {
    const principal = await ports.authenticate(request.headers).catch(() => null);
    const response = await auth.handle(copyRequest(request, text));
    forgetSession(request.headers);
    if (principal !== null) await record.signOut(principal);
    return response ?? refuse(404, "Not found");
  }

  return async (request: Request): Promise<Response> => {
    try {
      return await answer(request);
    } catch (error) {
      const refusal = findAppError(error);
      if (refusal !== null) {
        return refuse(HTTP_STATUS[refusal.code], refusal.message, retryHeaders(refusal), refusal.problems);
      }
      logger.error({ err: error }, "A sign-in request failed");
      return refuse(500, "Something went wrong in the server; its log says what");
    }
  };
}

/** Entries of the audit log. */
function createRecorder({ audit, findPerson }: Pick<SignInRequestPorts, "audit" | "findPerson">) {
  return {
    /** The refusal is the answer, also where this cannot be written. */
    async failure(request: Request, action: string, email: string, error: string): Promise<void> {
      const by = { ...UNKNOWN_ACTOR, token: null, origin: originOf(request.headers, "console") };
      await audit
        .record({ by, action, target: email === "" ? null : nameAccount(email), outcome: "denied", error })
        .catch(() => undefined);
    },
    async signIn(request: Request, email: string): Promise<void> {
      const { id, name } = (await findPerson(email.trim().toLowerCase())) ?? UNKNOWN_ACTOR;
      const by = { id, name, token: null, origin: originOf(request.headers, "console") };
      await audit.record({ by, action: "signIn", target: nameAccount(email), outcome: "done" });
    },
    signOut: (by: Principal): Promise<void> => audit.record({ by, action: "signOut", target: null, outcome: "done" }),
  };
}

/** People type their password into the wrong field: what is no address is not kept. */
function nameAccount(email: string): AuditTarget {
  return { kind: "account", name: email.includes("@") ? email.trim().toLowerCase() : "(no e-mail address)" };
}

function parseLinkUse(body: Record<string, unknown>) {
  const parsed = linkUseSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalidInput("", problemsOfIssues(parsed.error.issues));
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Its body was read already. */
function copyRequest(request: Request, text: string): Request {
  const { url, method, headers } = request;
  return new Request(url, method === "POST" ? { method, headers, body: text } : { method, headers });
}

function tooMany(response: Response): Response {
  const wait = response.headers.get("x-retry-after") ?? "60";
  return refuse(429, `Too many tries from this address: try again in ${wait} s`, { "retry-after": wait });
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store", ...headers } });
}

function refuse(status: number, message: string, headers = {}, problems: AppError["problems"] = []): Response {
  return json(status, { error: { message, problems } }, headers);
}
