import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { RateLimiter } from "../../platform/shared/rate-limiter";
import { readCappedText } from "../../platform/shared/read-capped-text";
import type { ClientGrantStore } from "./client-grant-store";
import { readRegistration } from "./client-registration";

const MAX_BYTES = 16 * 1024;
const MAX_URL_CHARS = 500;
const TIMEOUT_MS = 5_000;
/** The lifetime of a document that states none, and the limits of a stated one. */
const CACHE_SECONDS = { usual: 300, least: 60, most: 86_400 };
const MAX_CACHED = 1_000;
/** Documents that one browser session may have fetched in a minute. */
const FETCHES_PER_MINUTE = 20;
const SECRETS = ["client_secret", "client_secret_expires_at"];

export interface ClientDocumentPorts {
  /** Connects to allowed addresses only, and follows no redirects. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  grants: Pick<ClientGrantStore, "findClient" | "saveDocumentClient">;
  /** Private-use schemes that clients may receive answers at, beside the known ones. */
  schemes: readonly string[];
  now(): number;
}

export type ClientDocuments = ReturnType<typeof createClientDocuments>;

/** A client id that is the address of the client's metadata. */
export const isDocumentId = (clientId: string): boolean => /^https?:/i.test(clientId);

/**
 * The reason why a client id is no address of a Client ID Metadata Document; null where it may be one. An address has one
 * spelling, since the document must repeat it to the letter.
 */
export function findDocumentFault(clientId: string): string | null {
  if (clientId.length > MAX_URL_CHARS) return `must have at most ${MAX_URL_CHARS} characters`;
  if (!clientId.startsWith("https://")) return "must begin with https://";
  const url = URL.parse(clientId);
  if (url === null) return "must be an absolute address";
  if (url.username !== "" || url.password !== "") return "must not have a user name or password";
  if (clientId.includes("#")) return "must not have a fragment";
  if (clientId.includes("?")) return "must not have a query";
  if (url.pathname === "/") return "must have a path";
  // Dot segments, default ports and capitals in the host are written in another way there.
  return url.href === clientId ? null : `must be written as ${url.href}`;
}

/**
 * Clients whose id is the address of a document about them: fetched before the auth library reads the client, checked by
 * the rules of registration, and stored like a client that registered itself.
 */
export function createClientDocuments({ fetch, grants, schemes, now }: ClientDocumentPorts) {
  const goodUntil = new Map<string, number>();
  const pending = new Map<string, Promise<void>>();
  const limiter = new RateLimiter(FETCHES_PER_MINUTE, now);

  async function load(clientId: string): Promise<void> {
    const { text, seconds } = await readDocument(fetch, clientId);
    const document = parseDocument(text, clientId);
    const registration = readRegistration(document, schemes);
    if ("error" in registration) throw new Error(registration.description);
    const { body, redirectUris } = registration;
    await grants.saveDocumentClient({
      id: clientId,
      name: typeof body.client_name === "string" ? body.client_name : null,
      redirectUris,
      grantTypes: body.grant_types as string[],
      isNative: body.application_type === "native",
    });
    if (goodUntil.size >= MAX_CACHED) goodUntil.clear();
    goodUntil.set(clientId, now() + seconds * 1_000);
  }

  async function isFresh(clientId: string): Promise<boolean> {
    const leftMs = (goodUntil.get(clientId) ?? 0) - now();
    // A longer remaining time means that the clock was put back.
    if (leftMs <= 0 || leftMs > CACHE_SECONDS.most * 1_000) return false;
    // Clients that are not used are deleted.
    return (await grants.findClient(clientId)) !== null;
  }

  return {
    /**
     * Makes the client known, with what its document says now.
     * @param reader the browser session that asks, for the limit
     * @throws Error that says what is wrong with the address or the document
     */
    async refresh(clientId: string, reader: string): Promise<void> {
      const fault = findDocumentFault(clientId);
      if (fault !== null) throw new Error(`The client id ${fault}`);
      if (await isFresh(clientId)) return;
      const known = pending.get(clientId);
      if (known !== undefined) return known;
      const wait = limiter.take(reader);
      if (wait > 0) throw new Error(`Too many descriptions of programs were read: try again in ${wait} s`);
      const loading = load(clientId).finally(() => pending.delete(clientId));
      pending.set(clientId, loading);
      return loading;
    },
  };
}

async function readDocument(fetch: ClientDocumentPorts["fetch"], url: string) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { host } = new URL(url);
  const fail = (fault: string): Error => new Error(`The document at ${host} ${fault}`);
  try {
    const response = await fetch(url, { headers: { accept: "application/json" }, signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      const isRedirect = response.status >= 300 && response.status < 400;
      throw fail(isRedirect ? "redirects, which is not followed" : `was answered with status ${response.status}`);
    }
    const type = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) {
      await response.body?.cancel();
      throw fail("is not served as application/json");
    }
    return { text: await readCappedText(response, MAX_BYTES), seconds: readLifetime(response.headers) };
  } catch (error) {
    if (signal.aborted) throw fail(`did not arrive within ${TIMEOUT_MS / 1_000} s`);
    throw getMessage(error).startsWith("The document") ? error : fail(`could not be read: ${getMessage(error)}`);
  }
}

function parseDocument(text: string, clientId: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error("The document is not JSON");
  }
  if (!isPlainObject(document)) throw new Error("The document must be a JSON object");
  const { client_id: named, token_endpoint_auth_method: method = "none" } = document;
  if (named !== clientId) throw new Error("The document's client_id must be its own address, to the letter");
  // A published secret proves nothing, and keys are not checked here.
  if (method !== "none") throw new Error("The document's token_endpoint_auth_method must be none");
  const secret = SECRETS.find((name) => Object.hasOwn(document, name));
  if (secret !== undefined) throw new Error(`The document must not have ${secret}`);
  return document;
}

/** RFC 9111: how long the document may be used, within our limits. */
function readLifetime(headers: Headers): number {
  const control = headers.get("cache-control")?.toLowerCase() ?? "";
  if (/\bno-(?:store|cache)\b/.test(control)) return CACHE_SECONDS.least;
  const seconds = /\bmax-age=(\d{1,9})\b/.exec(control)?.[1];
  if (seconds === undefined) return CACHE_SECONDS.usual;
  return Math.min(CACHE_SECONDS.most, Math.max(CACHE_SECONDS.least, Number(seconds)));
}
