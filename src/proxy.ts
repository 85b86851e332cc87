import { type NextRequest, NextResponse } from "next/server";
import { APP_FRAME_PATH } from "@/lib/apps/app-policy";
import { toAddress } from "@/lib/base-path";
import { explainGroupLimit, isLimited } from "@/lib/contract/access";
import {
  APP_FRAME_HEADERS,
  contentSecurityPolicy,
  createNonce,
  FILE_HEADERS,
  guardRequest,
  SECURITY_HEADERS,
} from "@/lib/http-guard";
import { isLoopbackName, type Verdict } from "@/lib/http-guard/host-policy";
import { CLIENT_HEADER } from "@/lib/http-guard/request-headers";
import { currentContainer } from "@/server/main/current-container";

const development = process.env.NODE_ENV === "development";

/**
 * Pages without the console around them: a user decides here about another program's request, and returns to that
 * program.
 */
const BARE_PATHS = new Set(["/oauth/consent", "/approve"]);

const isFile = (pathname: string): boolean => pathname.startsWith("/_next/static/");
const isAppFrame = (pathname: string): boolean => pathname === APP_FRAME_PATH;
/** Images of MCP servers, whose response has a policy for what an SVG may do that is opened as a page. */
const isIcon = (pathname: string): boolean => pathname === "/api/icons";

function headersFor(pathname: string): typeof SECURITY_HEADERS {
  if (isFile(pathname)) return FILE_HEADERS;
  return isAppFrame(pathname) ? APP_FRAME_HEADERS : SECURITY_HEADERS;
}

const CODES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "DENIED",
  421: "DENIED",
  429: "TOO_MANY_REQUESTS",
};

function rejectRequest(isApiCall: boolean, status: number, message: string): NextResponse {
  const response = isApiCall
    ? NextResponse.json({ error: { code: CODES[status] ?? "INVALID", message, problems: [] } }, { status })
    : new NextResponse(`${message}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
  response.headers.set("cache-control", "no-store");
  return response;
}

/** The fields of an AppError with this code. */
interface TooMany {
  code: string;
  message: string;
  retryAfterSeconds?: number;
}

function refuseForNow(request: NextRequest, { message, retryAfterSeconds = 1 }: TooMany): NextResponse {
  const byScript = request.headers.get("sec-fetch-dest") === "empty";
  const response = rejectRequest(byScript, 429, message);
  response.headers.set("retry-after", String(retryAfterSeconds));
  return response;
}

function allow(request: NextRequest): NextResponse {
  const { pathname } = request.nextUrl;
  // Files are not pages: nothing in them runs under a nonce. The frame of an App and icons have policies of their own.
  if (isFile(pathname) || isAppFrame(pathname) || isIcon(pathname)) return NextResponse.next();
  const nonce = createNonce();
  const policy = contentSecurityPolicy(nonce, development);
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  if (BARE_PATHS.has(pathname)) headers.set("x-bare-page", "1");
  else headers.delete("x-bare-page");
  // Next reads the nonce from the request and stamps its own scripts with it.
  headers.set("content-security-policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", policy);
  return response;
}

/** The pages for users who are not signed in, the files that these need, and the REST API and SCIM, which refuse programs themselves. */
const PUBLIC_PATHS =
  /^\/(?:sign-in|join|approve|api\/approval-link|api\/(?:auth|v1)\/.+|v0\.1\/.+|scim\/v2\/.+|\.well-known\/.+|_next\/static\/.+|icon[\w.-]*|favicon\.ico)$/;
/** Rendered by a server component; the routes of the API count their requests themselves. */
const PUBLIC_PAGES = /^\/(?:sign-in|join|approve)$/;

/** The team's registry checks the origin of a request itself: a public one is read from other programs' windows. */
const REGISTRY_PATH = /^\/v0\.1\//;

/** Null where the request may continue. */
async function demandSignIn(request: NextRequest): Promise<NextResponse | null> {
  const { pathname, search } = request.nextUrl;
  const isPublic = PUBLIC_PATHS.test(pathname);
  if (isPublic && !PUBLIC_PAGES.test(pathname)) return null;
  const { access } = await currentContainer();
  if (!access.accounts) return null;
  const isCounted = !pathname.startsWith("/api/");
  const entering = isCounted
    ? access.enter(request.headers, "console")
    : access.authenticate(request.headers, "console");
  const found = await entering.catch((error: TooMany) => error);
  if (found !== null && "code" in found && found.code === "TOO_MANY_REQUESTS") return refuseForNow(request, found);
  if (found !== null && "role" in found && isCounted && !isPublic && found.token !== null && isLimited(found.token)) {
    const message =
      explainGroupLimit(found.token, undefined) ??
      "This token is limited to some tools or servers: it opens no pages. Use /mcp or /api/v1.";
    return rejectRequest(false, 403, message);
  }
  if (isPublic || (found !== null && "role" in found)) return null;
  // A script that reads a page would follow the redirect and put the sign-in page into this one's frame; after a
  // refusal, it reloads the page.
  const byScript = request.headers.get("sec-fetch-dest") === "empty";
  if (byScript || pathname.startsWith("/api/") || request.method !== "GET")
    return rejectRequest(true, 401, "Sign in first");
  const back = pathname === "/" ? "" : `?to=${encodeURIComponent(pathname + search)}`;
  const response = NextResponse.redirect(new URL(toAddress(`/sign-in${back}`), request.url), 303);
  response.headers.set("cache-control", "no-store");
  return response;
}

/** `next dev` has no server of ours before it, and writes these headers itself. */
const DEVELOPMENT_HEADERS = new Set(["x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"]);

function keepForwarding([name, value]: [string, string]): boolean {
  if (name !== "x-forwarded-for") return !DEVELOPMENT_HEADERS.has(name);
  return !value.split(",").every((address) => isLoopbackName(address.trim().replace(/^::ffff:/, "")));
}

/** The server has checked requests before, and written their client's address. */
async function checkForwarding({ headers }: NextRequest): Promise<string | null> {
  if (headers.get(CLIENT_HEADER) !== null) return null;
  const { outsideGuard } = await currentContainer();
  return outsideGuard.check({ headers: Object.fromEntries([...headers].filter(keepForwarding)) });
}

async function answerRequest(request: NextRequest, verdict: Verdict): Promise<NextResponse> {
  const isApiCall = request.nextUrl.pathname.startsWith("/api/");
  if (!verdict.allowed) return rejectRequest(isApiCall, verdict.status, verdict.message);
  const refusal = await checkForwarding(request);
  if (refusal !== null) return rejectRequest(isApiCall, 403, refusal);
  return (await demandSignIn(request)) ?? allow(request);
}

/** Runs before every route, static files included: no name but this server's own gets an answer. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  const { hostPolicy } = await currentContainer();
  const isRegistry = REGISTRY_PATH.test(pathname);
  const verdict = guardRequest(
    {
      method: request.method,
      pathname,
      host: request.headers.get("host"),
      origin: isRegistry ? null : request.headers.get("origin"),
      secFetchSite: isRegistry ? null : request.headers.get("sec-fetch-site"),
      contentType: request.headers.get("content-type"),
    },
    hostPolicy,
  );
  const response = await answerRequest(request, verdict);
  for (const [name, value] of headersFor(pathname)) response.headers.set(name, value);
  return response;
}
