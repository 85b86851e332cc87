import path from "node:path";

const LOADERS = path.resolve(import.meta.dirname, "scripts");

/** The path under which the server is reached is known only at the start: see docs/decisions/0095-a-path-of-a-host.md. */
const BASE_PATH_MODULES = {
  condition: { path: /next\/dist\/(?:esm\/)?client\/(?:add|has|remove)-base-path\.js$/ },
  loaders: [path.join(LOADERS, "base-path-loader.cjs")],
};

/** ES modules instead of CommonJS take 14 kB (gzip) of JavaScript off every page. */
const NEXT_CLIENT_MODULES = {
  condition: {
    all: [
      "browser",
      "production",
      { path: /node_modules\/next\/dist\/(?:client|lib|server|shared)\/.*(?<!-base-path)\.js$/ },
    ],
  },
  loaders: [path.join(LOADERS, "next-modules-loader.cjs")],
};

/** Without its link over WebSockets, which is not used. */
const TRPC_CLIENT_MODULES = {
  condition: { all: ["browser", { path: /@trpc\/client\/dist\/wsLink-/ }] },
  loaders: [path.join(LOADERS, "trpc-client-loader.cjs")],
};

/** Without the calls of a router in the same process. */
const TRPC_QUERY_MODULES = {
  condition: { all: ["browser", { path: /@trpc\/tanstack-react-query\/dist\/index\.mjs$/ }] },
  loaders: [path.join(LOADERS, "trpc-query-loader.cjs")],
};

const PROCESS_MODULE = {
  condition: { all: ["browser", "production", { path: /next\/dist\/compiled\/process\/browser\.js$/ }] },
  loaders: [path.join(LOADERS, "process-loader.cjs")],
};

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pino", "better-sqlite3-napi"],
  // Types are checked once, by `npm run check`.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
  // `nuqs/server`, which pages and their filters share, repeats for the browser what `nuqs` has.
  turbopack: {
    resolveAlias: { "nuqs/server": { browser: "nuqs" } },
    rules: {
      "*-base-path.js": BASE_PATH_MODULES,
      "*.js": NEXT_CLIENT_MODULES,
      "wsLink-*.mjs": TRPC_CLIENT_MODULES,
      "index.mjs": TRPC_QUERY_MODULES,
      "browser.js": PROCESS_MODULE,
    },
  },
  // Browsers ask for it where a page ends before its head is read.
  rewrites: async () => [{ source: "/favicon.ico", destination: "/icon.svg" }],
  // Addresses that pages had once, in bookmarks and notes: a dialog of the servers' list, the page Connect, the pages Jobs, Words, Transcripts, Tests and Evals, and model checks, whose runs kept their ids.
  redirects: async () => [
    { source: "/servers", has: [{ type: "query", key: "connect" }], destination: "/clients#connect", permanent: false },
    { source: "/connect", destination: "/clients#connect", permanent: false },
    { source: "/settings/jobs", destination: "/settings/storage#background-jobs", permanent: false },
    { source: "/tests", destination: "/suites", permanent: false },
    { source: "/tests/suites/:name", destination: "/suites/:name", permanent: false },
    { source: "/tests/runs/:id", destination: "/suites/runs/:id", permanent: false },
    { source: "/evals", destination: "/suites?type=evals", permanent: false },
    { source: "/evals/:page(words|candidates)", destination: "/suites?type=evals", permanent: false },
    { source: "/evals/compare", destination: "/suites/runs/compare", permanent: false },
    { source: "/evals/suites/:name", destination: "/suites/:name", permanent: false },
    { source: "/evals/runs/:id", destination: "/suites/runs/:id", permanent: false },
    { source: "/runs/transcripts/:path*", destination: "/runs?source=background", permanent: false },
    { source: "/settings/models/checks", destination: "/suites?type=evals", permanent: false },
    { source: "/settings/models/checks/:id", destination: "/suites/runs/:id", permanent: false },
  ],
  // A catalog file of 10 MB, in quotes within a request: quotation marks and line breaks take two characters there.
  // Pages are loaded with their first visit: loading all of them takes a fifth of the start's processor time, and 9 MB of heap.
  // Scripts of a page compress better together; larger files yet would repeat more.
  experimental: {
    proxyClientMaxBodySize: "24mb",
    preloadEntriesOnStart: false,
    turbopackChunking: { minChunkSize: 100_000 },
  },
};
