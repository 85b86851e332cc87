import { getMessage } from "../../lib/get-message";
import { CommandError, EXIT, type ExitCode } from "./command-error";
import type { CommandIo } from "./command-io";
import { findAddress, type ServerChoice } from "./find-address";

type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** The REST API of one Toolroom. Every method throws a CommandError whose exit code says what went wrong. */
export interface ApiClient {
  /** Where it is, without a slash at the end. */
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
      redirect: "error",
      signal: init.signal ?? io.signal,
    }).catch((error: unknown) => {
      if (io.signal.aborted) throw error;
      throw new CommandError(
        EXIT.unreachable,
        `The Toolroom at ${url} does not answer: ${explainFetch(error)}.`,
        "Start it with: toolroom start. For another one, set TOOLROOM_URL to its address.",
      );
    });
    if (response.ok) return response;
    throw toRefusal(response.status, await response.text(), url, Boolean(token));
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

function explainFetch(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code === "ECONNREFUSED" ? "nothing listens there" : code || getMessage(cause ?? error);
}

/** The class of a refusal by its HTTP status. */
function toExitCode(status: number): ExitCode {
  if (status === 404 || status === 405) return EXIT.notFound;
  if ([401, 403, 409, 412, 429].includes(status)) return EXIT.refused;
  return status < 500 ? EXIT.usage : EXIT.unreachable;
}

function toRefusal(status: number, text: string, url: string, hasToken: boolean): CommandError {
  const message = readRefusal(text) ?? `The Toolroom at ${url} answered ${status}.`;
  const wayOut =
    status !== 401
      ? ""
      : hasToken
        ? "Check TOOLROOM_API_TOKEN: make one with toolroom token create, or in the console under Settings → Account."
        : "Set TOOLROOM_API_TOKEN to an API token: toolroom token create, or Settings → Account in the console.";
  return new CommandError(toExitCode(status), message, wayOut);
}

/** The message of the REST API's errors. */
function readRefusal(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : null;
  } catch {
    return null;
  }
}
