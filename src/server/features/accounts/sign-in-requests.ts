import type { Principal } from "../../../lib/contract/access";
import { linkUseSchema } from "../../../lib/contract/account";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { AppError, findAppError, invalidInput, toRefusalInit } from "../../platform/shared/app-error";
import { getOrigin } from "../../platform/shared/request-origin";
import { toJsonResponse } from "../../platform/shared/responses";
import type { AccountLinks } from "./account-links";
import type { AuthLibrary } from "./account-ports";
import { copyRequest, rejectSignIn, setCookies } from "./auth-answers";
import type { ClientAuthorization } from "./client-authorization";
import { createPasswordSignIn, type PasswordSignInPorts } from "./password-sign-in";
import { endNewSession, watchAccessChanges } from "./sign-in-changes";
import { createSignInEntries, type SignInEntryPorts } from "./sign-in-entries";
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
  /** Null without single sign-on. */
  signOn: SignOnRequests | null;
  /** After a sign-out: other pages of the browser follow. */
  publishChange(userId: string): Promise<void>;
  logger: { error(fields: object, message: string): void };
}

/** Answers `/api/auth/*`, the only part of the API for people who are not signed in. */
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
      // Others who guess the password cannot keep the person out of the browser that proved the link.
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
