import { linkUseSchema } from "../../../lib/contract";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { type AppError, findAppError, HTTP_STATUS, invalidInput, retryHeaders } from "../../shared/app-error";
import type { AccountLinks } from "./account-links";
import type { AuthLibrary } from "./account-ports";
import type { SignInThrottle } from "./sign-in-throttle";

const MAX_BODY_CHARS = 10_000;

export interface SignInRequestPorts {
  auth: AuthLibrary;
  links: Pick<AccountLinks, "preview" | "use">;
  throttle: SignInThrottle;
  /** Counts a request of the address. @throws AppError with the code TOO_MANY_REQUESTS */
  admit(headers: Headers): void;
  /** Ends what is remembered of the session of a request. */
  forgetSession(headers: Headers): void;
  logger: { error(fields: object, message: string): void };
}

/** Answers `/api/auth/*`, the only part of the API for people who are not signed in. */
export function createSignInRequests({ auth, links, throttle, logger, forgetSession, admit }: SignInRequestPorts) {
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
        return json(200, await links.use(String(body.token ?? ""), parseLinkUse(body)));
      case "POST /api/auth/sign-in/email":
        return await signIn(request, text, String(body.email ?? ""));
      case "POST /api/auth/sign-out":
        return await signOut(request, text);
      default:
        return (await auth.handle(copyRequest(request, text))) ?? refuse(404, "Not found");
    }
  }

  async function signIn(request: Request, text: string, email: string): Promise<Response> {
    const wait = throttle.waitSeconds(email);
    if (wait > 0) {
      const message = `Too many wrong passwords for this account: try again in ${wait} s`;
      return refuse(429, message, { "retry-after": String(wait) });
    }
    const response = await auth.handle(copyRequest(request, text));
    if (response === null) return refuse(404, "Not found");
    if (response.status === 401) {
      throttle.recordFailure(email);
      return refuse(401, "The e-mail address or the password is wrong");
    }
    if (response.status === 429) return tooMany(response);
    if (!response.ok) return refuse(response.status === 403 ? 403 : 400, "This account cannot sign in: ask an admin");
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
    const response = await auth.handle(copyRequest(request, text));
    forgetSession(request.headers);
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
