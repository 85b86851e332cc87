import type { AppDomains } from "../contract/app";
import { isPlainObject } from "../contract/json";

const KINDS = ["connect", "resource", "frame", "baseUri"] as const;
type Kind = (typeof KINDS)[number];

export const APP_FRAME_PATH = "/app-frame";
/** Scripts without an origin: no cookies, no storage, no way into the page around it; no popups, no other top page. */
export const APP_SANDBOX = "allow-scripts allow-forms";

/** One host, or its subdomains, with a port and a path at most: nothing that could end a source or a directive. */
const SOURCE = /^(?:(?:https?|wss?):\/\/)?(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?(?:\/[\w.~/-]*)?$/i;
const MAX_OF_KIND = 20;
/** The policy travels in the address of the frame. */
const MAX_CHARS = 3_000;

/** Reads the domains that a resource declares; `ignored` are the texts that are no origins. */
export function readDomains(declared: unknown): { domains: AppDomains; ignored: string[] } {
  const domains: AppDomains = { connect: [], resource: [], frame: [], baseUri: [] };
  const ignored: string[] = [];
  let chars = 0;
  for (const kind of KINDS) {
    const listed = isPlainObject(declared) ? declared[`${kind}Domains`] : undefined;
    for (const each of Array.isArray(listed) ? listed : []) {
      const text = String(typeof each === "string" ? each : JSON.stringify(each)).slice(0, 200);
      const source = text === each ? toSource(text) : null;
      chars += text.length;
      if (source === null || chars > MAX_CHARS || domains[kind].length === MAX_OF_KIND) ignored.push(text);
      else domains[kind].push(source);
      if (ignored.length > MAX_OF_KIND) return { domains, ignored };
    }
  }
  return { domains, ignored };
}

function toSource(text: string): string | null {
  if (!SOURCE.test(text)) return null;
  return text.includes("://") ? text : `https://${text}`;
}

/** The names under which the protocol declares domains. */
export function toDeclared(domains: AppDomains): Record<`${Kind}Domains`, string[]> {
  return Object.fromEntries(KINDS.map((kind) => [`${kind}Domains`, domains[kind]])) as Record<
    `${Kind}Domains`,
    string[]
  >;
}

/** All domains without repetitions, in one list for users. */
export function listDomains(domains: AppDomains): string[] {
  return [...new Set(KINDS.flatMap((kind) => domains[kind]))];
}

/** The address of a frame whose policy allows these domains. */
export function toFramePath(domains: AppDomains): string {
  const params = new URLSearchParams(KINDS.flatMap((kind) => domains[kind].map((source) => [kind, source])));
  return params.size === 0 ? APP_FRAME_PATH : `${APP_FRAME_PATH}?${params}`;
}

/** Reads the address that `toFramePath` makes. Anyone may write one, so every domain is checked again. */
export function readFramePath(params: URLSearchParams): AppDomains {
  return readDomains(Object.fromEntries(KINDS.map((kind) => [`${kind}Domains`, params.getAll(kind)]))).domains;
}

/**
 * The policy of a frame. Where inline scripts may run, evaluated texts can do nothing more, and some Apps need them.
 * `'self'` is in none of its lists but the last: in a document without an origin it would mean the console.
 */
export function toFramePolicy({ connect, resource, frame, baseUri }: AppDomains): string {
  const directive = (name: string, sources: readonly string[]): string =>
    `${name} ${sources.length === 0 ? "'none'" : sources.join(" ")}`;
  return [
    "default-src 'none'",
    directive("script-src", ["'unsafe-inline'", "'unsafe-eval'", "blob:", ...resource]),
    directive("style-src", ["'unsafe-inline'", ...resource]),
    directive("img-src", ["data:", "blob:", ...resource]),
    directive("font-src", ["data:", ...resource]),
    directive("media-src", ["data:", "blob:", ...resource]),
    directive("connect-src", connect),
    directive("frame-src", frame),
    directive("base-uri", baseUri),
    "worker-src blob:",
    "object-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    `sandbox ${APP_SANDBOX}`,
  ].join("; ");
}
