import { describeProxyPage, describeTlsCode, isProxyStatus } from "../../lib/connection-words";
import { getMessage } from "../../lib/get-message";
import { CommandError, EXIT, type ExitCode, LostAnswerError } from "./command-error";
import type { CommandIo } from "./command-io";
import { findAddress, type ServerChoice } from "./find-address";

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** The REST API of one Toolroom. Every method throws a CommandError whose exit code says what went wrong. */
export interface ApiClient {
  /** The server's address without a slash at the end. */
  url: string;
  /** The text of an answer as it was sent: parsed, long numbers would lose digits. */
  getText(path: string, query?: Query): Promise<string>;
  get<Result>(path: string, query?: Query): Promise<Result>;
  /** @param body JSON text @param signal instead of the one that aborts at Ctrl+C */
  sendText(method: "POST" | "PUT" | "DELETE", path: string, body?: string, signal?: AbortSignal): Promise<string>;
  send<Result>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<Result>;
  stream(path: string, query?: Query): Promise<ReadableStream<Uint8Array>>;
  /** The items of a list, page after page, at most so many. */
  list<Item>(path: string, query?: Query, most?: number): Promise<Item[]>;
}

const PAGE = 200;

export async function openApi(choice: ServerChoice, io: CommandIo): Promise<ApiClient> {
  const url = await findAddress(choice, io);
  const token = io.env.TOOLROOM_API_TOKEN;

  async function request(path: string, { query = {}, ...init }: RequestInit & { query?: Query }): Promise<Response> {
    const response = await fetch(`${url}/api/v1${path}${formatQuery(query)}`, {
      ...init,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(init.body === undefined ? {} : { "content-type": "application/json" }),
      },
      redirect: "manual",
      signal: init.signal ?? io.signal,
    }).catch((error: unknown) => {
      if (io.signal.aborted) throw error;
      throw toFailure(error, url);
    });
    const isWebPage = (response.headers.get("content-type") ?? "").startsWith("text/html");
    if (response.ok && !isWebPage) return response;
    if (response.status >= 300 && response.status < 400) throw toRedirect(response, url);
    const body = typeof init.body === "string" ? Buffer.byteLength(init.body) : undefined;
    throw toRefusal(response, { text: await readError(response), url, hasToken: Boolean(token), requestBytes: body });
  }

  const client: ApiClient = {
    url,
    getText: async (path, query) => await (await request(path, { query })).text(),
    get: async (path, query) => parseAnswer(await client.getText(path, query), url),
    sendText: async (method, path, body, signal) => await (await request(path, { method, body, signal })).text(),
    send: async (method, path, body) =>
      parseAnswer(await client.sendText(method, path, body === undefined ? undefined : JSON.stringify(body)), url),
    async stream(path, query) {
      const { body } = await request(path, { query });
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
    async list<Item>(path: string, query: Query = {}, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
      const items: Item[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null && items.length < most) {
        const limit = Math.min(PAGE, most - items.length);
        const page: Page<Item> = await client.get(path, { ...query, limit, cursor });
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      return items;
    },
  };
  return client;
}

function formatQuery(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) params.append(name, String(each));
  }
  return params.size === 0 ? "" : `?${params}`;
}

function parseAnswer<Result>(text: string, url: string): Result {
  try {
    return (text === "" ? undefined : JSON.parse(text)) as Result;
  } catch {
    throw new CommandError(EXIT.unreachable, `What answers at ${url} is not Toolroom.`, "Check TOOLROOM_URL.");
  }
}

const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** A connection that failed: before the request was sent, or after it may have arrived. */
function toFailure(error: unknown, url: string): CommandError {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const tls = describeTlsCode(code);
  if (tls !== null) return new CommandError(EXIT.unreachable, `The Toolroom at ${url} cannot be reached: ${tls}.`);
  const reason = code === "ECONNREFUSED" ? "nothing listens there" : code || getMessage(cause ?? error);
  const message = `The Toolroom at ${url} does not answer: ${reason}.`;
  const wayOut = "Start it with: toolroom start. For another one, set TOOLROOM_URL to its address.";
  // Node tries both families of addresses, and fails with the errors of both.
  const isUnsent = NEVER_SENT.has(code) || cause instanceof AggregateError;
  return isUnsent
    ? new CommandError(EXIT.unreachable, message, wayOut)
    : new LostAnswerError(EXIT.unreachable, message, wayOut);
}

/** Names the new address without its query, which may hold a secret. */
function toRedirect({ status, headers }: Response, url: string): CommandError {
  const target = URL.parse(headers.get("location") ?? "", url);
  const message = `The Toolroom at ${url} answers with a redirect to ${target === null ? "another address" : `${target.origin}${target.pathname}`} (${status}), which is not followed.`;
  const isMoved = target?.pathname.startsWith("/api/v1/") === true;
  const wayOut = isMoved
    ? `Set TOOLROOM_URL to ${target.origin}`
    : "If it has moved, set TOOLROOM_URL to its address; if a proxy asks for a sign-in, let requests to /api/v1 pass.";
  return new CommandError(EXIT.unreachable, message, wayOut);
}

async function readError(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch {
    return "";
  }
}

/** The class of a refusal by its HTTP status. */
function toExitCode(status: number): ExitCode {
  if (status === 404 || status === 405) return EXIT.notFound;
  if ([401, 403, 409, 412, 429].includes(status)) return EXIT.refused;
  return status < 500 ? EXIT.usage : EXIT.unreachable;
}

interface Refusal {
  text: string;
  url: string;
  hasToken: boolean;
  requestBytes: number | undefined;
}

function toRefusal({ status, headers }: Response, { text, url, hasToken, requestBytes }: Refusal): CommandError {
  const own = readRefusal(text);
  if (own === null) return toProxyError(status, { text, url, server: headers.get("server"), requestBytes });
  const wayOut =
    status !== 401
      ? ""
      : hasToken
        ? "Check TOOLROOM_API_TOKEN: make one with toolroom token create, or in the console under Settings → Account."
        : "Set TOOLROOM_API_TOKEN to an API token: toolroom token create, or Settings → Account in the console.";
  return new CommandError(toExitCode(status), own, wayOut);
}

/** An answer that is not of the REST API: of a proxy before it, or of another program. */
function toProxyError(
  status: number,
  { text, url, server, requestBytes }: Pick<Refusal, "text" | "url" | "requestBytes"> & { server: string | null },
): CommandError {
  const page = describeProxyPage({ status, body: text, server, requestBytes });
  if (isProxyStatus(status)) {
    const reason = page ?? `a proxy answered ${status}`;
    return new LostAnswerError(EXIT.unreachable, `The Toolroom at ${url} does not answer: ${reason}.`);
  }
  if (status === 413) {
    const wayOut = "Raise the limit of the proxy (nginx: client_max_body_size).";
    return new CommandError(
      EXIT.usage,
      `${capitalize(page ?? "a proxy answered 413")}, not Toolroom at ${url}.`,
      wayOut,
    );
  }
  if (page === null) return new CommandError(toExitCode(status), `The Toolroom at ${url} answered ${status}.`);
  const message =
    status < 300 ? `What answers at ${url} is not Toolroom` : `${capitalize(page)}, not Toolroom at ${url}`;
  return new CommandError(status < 300 ? EXIT.unreachable : toExitCode(status), `${message}.`, "Check TOOLROOM_URL.");
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The message of the REST API's errors. */
function readRefusal(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : null;
  } catch {
    return null;
  }
}
