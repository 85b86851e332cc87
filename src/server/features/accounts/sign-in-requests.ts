import type { Principal } from "../../../lib/contract/access";
import { linkUseSchema } from "../../../lib/contract/account";
import type { Actor } from "../../../lib/contract/actor";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { getClientAddress } from "../../../lib/http-guard/request-headers";
import { AppError, findAppError, invalidInput, toRefusalInit } from "../../platform/shared/app-error";
import { toJsonResponse } from "../../platform/shared/responses";
import type { OnAccessChange } from "../../platform/shared/watch-reader";
import { getOrigin } from "./access";
import type { AccountLinks } from "./account-links";
import type { AuthLibrary } from "./account-ports";
import { copyRequest, rejectSignIn, setCookies } from "./auth-answers";
import type { ClientAuthorization } from "./client-authorization";
import type { KnownDevices } from "./known-devices";
import { endNewSession, watchAccessChanges } from "./sign-in-changes";
import { createSignInEntries, type SignInEntries, type SignInEntryPorts } from "./sign-in-entries";
import type { SignInThrottle } from "./sign-in-throttle";
import type { SignOnRequests } from "./sign-on-requests";

const MAX_BODY_CHARS = 10_000;

export interface SignInRequestPorts extends PasswordSignInPorts, SignInEntryPorts {
  auth: AuthLibrary;
  links: Pick<AccountLinks, "preview" | "use">;
  /** Counts a request of the address. @throws AppError with the code TOO_MANY_REQUESTS */
  admit(headers: Headers): void;
  /** Returns the signed-in user; null for none. */
  authenticate(headers: Headers): Promise<Principal | null>;
  /** Lets MCP clients sign in; null where they may not. */
  clients: Pick<ClientAuthorization, "handle"> | null;
  /** Handles single sign-on; null without it. */
  signOn: SignOnRequests | null;
  /** Called after a sign-out: other pages of the browser follow. */
  publishChange(userId: string): Promise<void>;
  logger: { error(fields: object, message: string): void };
}

/** Answers `/api/auth/*`, the only part of the API for users who are not signed in. */
export function createSignInRequests(ports: SignInRequestPorts) {
  const { auth, links, devices, clients, signOn, logger, admit } = ports;
  const record = createSignInEntries(ports);
  const signIn = createPasswordSignIn(ports, record);

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    admit(request.headers);
    const text = request.method === "POST" ? await request.text() : "";
    if (text.length > MAX_BODY_CHARS) return rejectSignIn(413, "The request is too large");
    const body = parse(text);
    switch (`${request.method} ${pathname}`) {
      case "POST /api/auth/link":
        return toJsonResponse(200, await links.preview(String(body.token ?? "")));
      case "POST /api/auth/link/use":
        return await openLink(request, body);
      case "POST /api/auth/sign-in/email":
        return await signIn(request, text, String(body.email ?? ""));
      case "POST /api/auth/sign-out":
        return await signOut(request, text);
      default:
        return (
          (await signOn?.(request, body)) ??
          (await clients?.handle(request, text, body)) ??
          rejectSignIn(404, "Not found")
        );
    }
  }

  async function openLink(request: Request, body: Record<string, unknown>): Promise<Response> {
    const use = parseLinkUse(body);
    const changes = watchAccessChanges(ports.onAccessChange);
    try {
      const used = await links.use(String(body.token ?? ""), use, getOrigin(request.headers, "console"));
      const response = toJsonResponse(200, { email: used.email, signedIn: used.signsIn });
      if (used.signsIn) {
        const cookies = await auth.openSession(used.id, request.headers);
        if (cookies === null || changes.includes(used.id)) {
          if (cookies !== null) await endNewSession(auth, request, cookies);
          throw new AppError("DENIED", "Your account was changed during the sign-in: ask for a new link");
        }
        setCookies(response, request, cookies);
      }
      // Others who guess the password cannot keep the user out of the browser that proved the link.
      setCookies(response, request, [devices.remember(request.headers, used.id)]);
      return response;
    } catch (error) {
      const refusal = findAppError(error);
      const isInput = refusal === null || refusal.code === "INVALID";
      if (!isInput) await record.failure(request, "link.refused", "", refusal.message);
      throw error;
    } finally {
      changes.stop();
    }
  }

  async function signOut(request: Request, text: string): Promise<Response> {
    const principal = await ports.authenticate(request.headers).catch(() => null);
    const response = await auth.handle(copyRequest(request, text));
    if (principal !== null) {
      await ports.publishChange(principal.id);
      await record.signOut(principal);
    }
    return response ?? rejectSignIn(404, "Not found");
  }

  return async (request: Request): Promise<Response> => {
    try {
      return await answer(request);
    } catch (error) {
      const refusal = findAppError(error);
      if (refusal !== null) {
        const { status, headers } = toRefusalInit(refusal);
        return rejectSignIn(status, refusal.message, headers, refusal.problems);
      }
      logger.error({ err: error }, "A sign-in request failed");
      return rejectSignIn(500, "Something went wrong in the server; its log says what");
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

interface PasswordSignInPorts {
  auth: Pick<AuthLibrary, "handle">;
  throttle: SignInThrottle;
  devices: KnownDevices;
  /** The provider's name when passwords are switched off; null when passwords may be used. */
  onlySignOn: string | null;
  findUser(email: string): Promise<Actor | null>;
  onAccessChange: OnAccessChange;
}

/** Signs in with a password, unless too many wrong ones came before. */
function createPasswordSignIn(ports: PasswordSignInPorts, record: SignInEntries) {
  const { auth, throttle, devices } = ports;

  return async (request: Request, text: string, email: string): Promise<Response> => {
    if (ports.onlySignOn !== null) {
      const message = `Passwords are switched off on this server: sign in with ${ports.onlySignOn}`;
      await record.failure(request, "signIn", email, message);
      return rejectSignIn(403, message);
    }
    const user = await ports.findUser(email.trim().toLowerCase());
    const device = user === null ? null : devices.find(request.headers, user.id);
    const attempt = await throttle.begin({ account: email, address: getClientAddress(request.headers), device });
    if ("waitSeconds" in attempt) {
      const wait = String(attempt.waitSeconds);
      await record.failure(request, "signIn", email, "Too many wrong passwords for this account");
      return rejectSignIn(429, `Too many wrong passwords for this account: try again in ${wait} s`, {
        "retry-after": wait,
      });
    }
    const changes = watchAccessChanges(ports.onAccessChange);
    const response = await auth
      .handle(copyRequest(request, text))
      .catch(async (error: unknown) => {
        await attempt.release();
        throw error;
      })
      .finally(changes.stop);
    if (response?.status === 401) {
      await record.failure(request, "signIn", email, "The e-mail address or the password is wrong");
      return rejectSignIn(401, "The e-mail address or the password is wrong");
    }
    if (response?.ok !== true) await attempt.release();
    if (response === null) return rejectSignIn(404, "Not found");
    if (response.status === 429) {
      await record.failure(request, "signIn", email, "Too many tries from this address");
      return tooMany(response);
    }
    if (!response.ok) {
      await record.failure(request, "signIn", email, "This account cannot sign in");
      return rejectSignIn(response.status === 403 ? 403 : 400, "This account cannot sign in: ask an admin");
    }
    if (user !== null && changes.includes(user.id)) {
      // The password may have been replaced during the check, or the sessions were ended before this one began.
      await endNewSession(auth, request, response.headers.getSetCookie());
      await record.failure(request, "signIn", email, "The account was changed during the sign-in");
      return rejectSignIn(409, "Your account was changed during the sign-in: sign in again");
    }
    // Recorded before the cookie is set: a sign-in without an entry must not happen.
    await record.signIn(request, email);
    await attempt.succeed();
    // The library's answer holds the session's token, which belongs in the cookie only.
    const answered = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
    const known = user === null ? [] : [devices.remember(request.headers, user.id)];
    setCookies(answered, request, [...response.headers.getSetCookie(), ...known]);
    return answered;
  };
}

function tooMany(response: Response): Response {
  const wait = response.headers.get("x-retry-after") ?? "60";
  return rejectSignIn(429, `Too many tries from this address: try again in ${wait} s`, { "retry-after": wait });
}
