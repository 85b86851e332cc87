import { createRequire } from "node:module";

// Toolroom under a path of a host that others share: see docs/decisions/0095-a-path-of-a-host.md. Inside of the server every
// path is that of a Toolroom at the root; requests lose the base path here, and answers get it.

/** The key on `globalThis` under which src/lib/base-path.ts reads the base path while the server renders a page. */
const KEY = Symbol.for("toolroom.base-path");

const SEGMENTS = /^(?:\/[\w.~-]+)*$/;
/** First segments of Toolroom's own addresses: under them, a path with and one without the base path could be the same. */
export const OWN_SEGMENTS = [
  "_next",
  ".well-known",
  "alerts",
  "api",
  "app-frame",
  "approvals",
  "approve",
  "cassettes",
  "clients",
  "compare",
  "connect",
  "evals",
  "executions",
  "favicon.ico",
  "healthz",
  "icon.svg",
  "join",
  "mcp",
  "metrics",
  "oauth",
  "playground",
  "readyz",
  "runs",
  "scim",
  "servers",
  "settings",
  "sign-in",
  "skills",
  "suites",
  "tests",
  "tools",
  "toolsets",
  "v0.1",
];

/**
 * The path of the public address, such as `/toolroom`; empty for one at the root.
 * @param {string | null | undefined} publicUrl @throws Error where Toolroom cannot be served under it
 */
export function readBasePath(publicUrl) {
  const url = publicUrl && URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  if (url === null) return "";
  if (url.search !== "" || url.hash !== "")
    throw new Error("TOOLROOM_PUBLIC_URL must end with its path, without ? or #");
  const basePath = url.pathname.replace(/\/+$/, "");
  if (!SEGMENTS.test(basePath)) {
    throw new Error(
      `TOOLROOM_PUBLIC_URL: the path ${basePath} may have letters, digits, and . _ ~ - between its slashes, as in /toolroom`,
    );
  }
  const first = basePath.split("/", 2)[1] ?? "";
  if (OWN_SEGMENTS.includes(first)) {
    throw new Error(
      `TOOLROOM_PUBLIC_URL: Toolroom has pages of its own at /${first}. Choose another path, as in /toolroom`,
    );
  }
  return basePath;
}

/**
 * A request's target as it is at the root: with the base path, which a proxy may keep or remove. Metadata of OAuth has it
 * after the well-known name (RFC 8414, 9728).
 * @param {string} target @param {string} basePath
 */
export function removeBasePath(target, basePath) {
  if (basePath === "") return target;
  const known = /^\/\.well-known\/[^/?]+/.exec(target)?.[0] ?? "";
  const rest = target.slice(known.length);
  if (!rest.startsWith(basePath)) return target;
  const own = rest.slice(basePath.length);
  if (own.startsWith("/")) return known + own;
  return own === "" || own.startsWith("?") ? `${known === "" ? "/" : known}${own}` : target;
}

/** @param {string} location @param {string} basePath */
function addToLocation(location, basePath) {
  const isOwn = location.startsWith("/") && !location.startsWith("//");
  return isOwn && removeBasePath(location, basePath) === location ? basePath + location : location;
}

/** Next repeats a permanent redirect in this header. @param {string} refresh @param {string} basePath */
const addToRefresh = (refresh, basePath) =>
  refresh.replace(/(?<=;\s*url=).*$/i, (location) => addToLocation(location, basePath));

/** Cookies of the whole host would be those of the other programs on it. @param {string} cookie @param {string} basePath */
const narrowCookie = (cookie, basePath) => cookie.replace(/;\s*path=\/(?=\s*;|\s*$)/i, `; Path=${basePath}`);

/** @type {Record<string, (value: string, basePath: string) => string>} */
const REWRITERS = {
  location: addToLocation,
  refresh: addToRefresh,
  "set-cookie": narrowCookie,
};

/** @param {string} name @param {unknown} value @param {string} basePath @returns {any} */
function rewriteHeader(name, value, basePath) {
  const rewrite = REWRITERS[name.toLowerCase()];
  if (rewrite === undefined) return value;
  return Array.isArray(value) ? value.map((each) => rewrite(String(each), basePath)) : rewrite(String(value), basePath);
}

/** Puts the base path into the addresses of an answer's headers. @param {import("node:http").ServerResponse} response @param {string} basePath */
export function addBasePath(response, basePath) {
  if (basePath === "") return;
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (/** @type {any[]} */ ...given) => {
    for (const name of Object.keys(REWRITERS)) {
      const value = response.getHeader(name);
      if (value !== undefined) response.setHeader(name, rewriteHeader(name, value, basePath));
    }
    const headers = given.at(-1);
    if (Array.isArray(headers)) {
      for (let at = 0; at + 1 < headers.length; at += 2) {
        headers[at + 1] = rewriteHeader(String(headers[at]), headers[at + 1], basePath);
      }
    } else if (typeof headers === "object" && headers !== null) {
      for (const name of Object.keys(headers)) headers[name] = rewriteHeader(name, headers[name], basePath);
    }
    // The overloads of writeHead do not take a list of arguments.
    return Reflect.apply(writeHead, response, given);
  };
}

/**
 * Makes Next, which reads its base path at the build, give out addresses with this one. Call it before Next is loaded.
 * @param {string} basePath @param {string} home the folder with `.next`
 */
export function announceBasePath(basePath, home) {
  if (basePath === "") return;
  Reflect.set(globalThis, KEY, basePath);
  process.env.__NEXT_ROUTER_BASEPATH = basePath;
  const require = createRequire(`${home}/server.mjs`);
  const file = require.resolve("next/dist/server/load-manifest.external.js");
  const loader = require(file);
  const loaded = require.cache[file];
  if (loaded === undefined) throw new Error("Next's manifests cannot be given a base path");
  /** @type {Map<string, unknown>} */
  const manifests = new Map();
  /** @type {Map<string, string>} */
  const shared = new Map();
  /** @param {string} chunk */
  const toAddress = (chunk) => {
    const address = shared.get(chunk) ?? (chunk.startsWith("/_next/") ? basePath + chunk : chunk);
    shared.set(chunk, address);
    return address;
  };
  /** @param {string} path @param {boolean} shouldCache @param {any} cache @param {boolean} [handleMissing] */
  const evalManifest = (path, shouldCache = true, cache = undefined, handleMissing = undefined) => {
    if (shouldCache && manifests.has(path)) return manifests.get(path);
    const manifest = loader.evalManifest(path, false, cache, handleMissing);
    for (const page of Object.values(manifest?.__RSC_MANIFEST ?? {})) {
      for (const each of Object.values(page.clientModules ?? {})) each.chunks = each.chunks.map(toAddress);
    }
    if (shouldCache) manifests.set(path, manifest);
    return manifest;
  };
  loaded.exports = {
    ...loader,
    evalManifest,
    evalManifestFromRelativePath: (
      /** @type {any} */ { projectDir, distDir, manifest, shouldCache, cache, handleMissing },
    ) => evalManifest(`${projectDir}/${distDir}/${manifest}`, shouldCache, cache, handleMissing),
  };
}
