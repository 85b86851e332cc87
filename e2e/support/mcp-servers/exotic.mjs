// Uses every corner of the protocol: foreign keys, empty texts, structured log messages, errors with data. With the
// argument `stateless` it speaks 2026-07-28, otherwise the versions before.
import { ANY_OBJECT, send, serveStdio, text } from "./stdio-server.mjs";

const stateless = process.argv[2] === "stateless";
const INSTRUCTIONS = "Call `meta` first.\n\n  Keep this indentation, and “these quotes”.";
const SERVER_INFO = {
  name: "exotic-server",
  title: "Exotic — a server",
  version: "7.8.9-rc.1",
  description: "Uses every corner",
  websiteUrl: "https://exotic.example/docs",
  icons: [{ src: "data:image/svg+xml;base64,PHN2Zy8+", mimeType: "image/svg+xml", sizes: ["any"], theme: "light" }],
};
const capabilities = { tools: { listChanged: true }, logging: {} };

/** @param {any} result */
const whole = (result) => (stateless && result !== undefined ? { resultType: "complete", ...result } : result);

/** @param {number} code @param {string} message @param {unknown} data @returns {(args: any, call: any) => undefined} */
const failing = (code, message, data) => (_args, call) => {
  send({ jsonrpc: "2.0", id: call.id, error: { code, message, data } });
  return undefined;
};

/** @param {unknown} params */
const log = (params) => send({ jsonrpc: "2.0", method: "notifications/message", params });

/** Toolroom alone sets such keys. */
const CLAIMED = { "toolroom/http": { method: "GET", path: "/", status: 200 } };

/** @type {import("./stdio-server.mjs").Tool[]} */
const tools = [
  {
    name: "everything",
    title: "Every field",
    description: "  Described, with spaces around  ",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", "x-vendor": [1, null] } },
      additionalProperties: false,
    },
    outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    annotations: { title: "In annotations", readOnlyHint: true, "vendor/cost": { cents: 3 }, audience: ["user"] },
    execution: { taskSupport: "optional", "vendor/queue": "slow" },
    icons: [{ src: "data:image/png;base64,aGk=", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
    _meta: { "vendor/key": { deep: [1, { two: null }] }, plain: true, ...CLAIMED },
    "vendor/top": "a key of the tool's own",
    run: () => ({
      content: [],
      structuredContent: { n: 1 },
      _meta: { "vendor/result": [1], ...CLAIMED },
      "vendor/more": 2,
    }),
  },
  {
    name: "numbers",
    // Written by hand: JavaScript has no such numbers.
    run: ({ fails = false }, { id }) => {
      const type = stateless ? '"resultType":"complete",' : "";
      const _meta = JSON.stringify({ "io.modelcontextprotocol/serverInfo": SERVER_INFO, "vendor/result": "kept" });
      const result = `{${type}"isError":${fails},"content":[],"structuredContent":{"n":1.0,"big":12345678901234567890},"_meta":${_meta}}`;
      process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
    },
  },
  { name: "never_as_task", execution: { taskSupport: "forbidden" }, run: () => text("plainly") },
  { name: "empty_description", description: "", annotations: { title: "Only in annotations" } },
  { name: "no_description" },
  { name: "empty_title", title: "", description: "Has an empty title", annotations: {} },
  { name: "meta", run: (_args, { params }) => text(JSON.stringify(params._meta ?? null)) },
  {
    name: "logs",
    run: () => {
      log({ level: "notice", logger: "db.pool", data: { open: 3, names: ["a", null], nested: { ok: true } } });
      log({ level: "emergency", data: [1, "two"] });
      log({ level: "warning", logger: "plain", data: "just text" });
      return text("logged");
    },
  },
  { name: "fails", run: failing(-32_050, "Quota of the project is used up", { retryAfter: 30, quota: ["a"] }) },
  { name: "fails_bare", run: failing(1234, "No data here", undefined) },
  {
    name: "fails_sign_in",
    run: failing(-32_042, "Sign in first", {
      elicitations: [{ mode: "url", url: "https://example.com/sign-in", message: "Sign in", elicitationId: "e1" }],
    }),
  },
  { name: "fails_version", run: failing(-32_022, "Unsupported protocol version", { supported: ["1999-01-01"] }) },
  { name: "is_error", run: () => ({ ...text("secret-in-error-text"), isError: true }) },
];

serveStdio({
  name: "exotic",
  capabilities,
  tools: tools.map(({ run, ...tool }) => ({ ...tool, run: (args, call) => whole(run?.(args, call) ?? undefined) })),
  listTools: () => ({
    tools: tools.map(({ run: _, ...tool }) => ({ inputSchema: ANY_OBJECT, ...tool })),
    ...(stateless ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {}),
  }),
  handle: ({ id, method, params }) => {
    const result = (/** @type {object} */ given) => send({ jsonrpc: "2.0", id, result: given });
    if (method === "initialize" && stateless) {
      send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found: initialize" } });
      return true;
    }
    if (method === "initialize") {
      const { protocolVersion } = params;
      result({ protocolVersion, capabilities, serverInfo: SERVER_INFO, instructions: INSTRUCTIONS });
      return true;
    }
    if (method === "server/discover" && stateless) {
      result({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities,
        instructions: INSTRUCTIONS,
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
      });
      return true;
    }
    return false;
  },
});
