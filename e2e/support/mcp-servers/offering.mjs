// A server with resources, prompts, completions and subscriptions. Arguments: its own scheme for URIs, `stateless` for the
// 2026-07-28 protocol. `OFFER` names the scheme of a server that is one user's own. Everything beside its own scheme is also offered by any other instance.
import { ANY_OBJECT, send, serveStdio, text } from "./stdio-server.mjs";

const [given = "left", era = ""] = process.argv.slice(2);
const scheme = process.env.OFFER ?? given;
const stateless = era === "stateless";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const capabilities = {
  tools: { listChanged: true },
  // An account that has nothing but tools.
  ...(scheme !== "of-nothing" && {
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
  }),
  logging: {},
};
/** @type {Record<string, string>} */
const texts = {
  [`${scheme}://only`]: "only here",
  "shared://document": `shared, from ${scheme}`,
  "ui://panel": `<p>${scheme}</p>`,
};
const hidden = `${scheme}://hidden`;
/** @type {Set<string>} */
const subscribed = new Set();
/** @type {Map<string | number, { resourceSubscriptions?: string[], resourcesListChanged?: boolean, promptsListChanged?: boolean }>} */
const streams = new Map();
let level = "info";
let more = false;

/** @param {string} method @param {Record<string, unknown>} params @param {(filter: any) => boolean} wants */
function notify(method, params, wants) {
  if (!stateless) send({ jsonrpc: "2.0", method, params });
  for (const [id, filter] of streams) {
    if (wants(filter)) send({ jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION]: id } } });
  }
}

/** @type {Record<string, (args: any) => object>} */
const tools = {
  links: () => ({
    content: [
      { type: "resource_link", uri: hidden, name: "hidden" },
      { type: "resource", resource: { uri: "shared://document", text: "embedded" } },
    ],
  }),
  show: () => text("shown"),
  touch: ({ uri }) => {
    if (subscribed.has(uri) || stateless)
      notify(
        "notifications/resources/updated",
        { uri },
        (filter) => filter.resourceSubscriptions?.includes(uri) === true,
      );
    return text([...subscribed].join());
  },
  grow: () => {
    more = true;
    texts[`${scheme}://grown`] = "grown";
    notify("notifications/resources/list_changed", {}, (filter) => filter.resourcesListChanged === true);
    notify("notifications/prompts/list_changed", {}, (filter) => filter.promptsListChanged === true);
    return text("grown");
  },
  log_later: () => {
    setTimeout(
      () => send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "warning", data: level } }),
      100,
    );
    return text("soon");
  },
};
const meta = { ui: { resourceUri: "ui://panel", visibility: ["model"] } };
const listedTools = Object.keys(tools).map((name) => ({
  name,
  inputSchema: ANY_OBJECT,
  ...(name === "show" ? { _meta: meta } : {}),
}));

/** @param {string} uri @param {any} params */
function read(uri, params) {
  if (uri === "big://blob") return { contents: [{ uri, blob: "A".repeat(20 * 1024 * 1024) }] };
  const item = uri.startsWith(`${scheme}://item/`) || uri.startsWith("shared://item/");
  const body = item ? `item of ${scheme}` : uri === hidden ? "hidden" : texts[uri];
  if (body === undefined) return null;
  const { _meta: given = {} } = params;
  const custom = Object.fromEntries(
    Object.entries(given).filter(([key]) => key !== "progressToken" && !key.startsWith("io.modelcontextprotocol/")),
  );
  return { contents: [{ uri, mimeType: "text/plain", text: body, _meta: { own: true } }], _meta: { given: custom } };
}

/** @type {Record<string, (params: any) => object | null>} */
const methods = {
  "tools/list": () => ({ tools: listedTools }),
  "tools/call": ({ name, arguments: args }) => tools[name]?.(args) ?? null,
  "resources/list": ({ cursor = "0" }) => ({
    // Goes on for ever under this name.
    ...(scheme === "endless" ? { nextCursor: String(Number(cursor) + 1) } : {}),
    resources: Object.keys(texts).map((uri) => ({
      uri,
      name: uri,
      title: "A title",
      icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png" }],
      annotations: { audience: ["user"], priority: 0.5 },
      size: 3,
      _meta: { custom: [1] },
    })),
  }),
  "resources/templates/list": () => ({
    resourceTemplates: [
      { uriTemplate: `${scheme}://item/{id}`, name: "items" },
      { uriTemplate: "shared://item/{id}", name: "shared items" },
    ],
  }),
  "resources/read": (params) => read(params.uri, params),
  "resources/subscribe": ({ uri }) => {
    subscribed.add(uri);
    return {};
  },
  "resources/unsubscribe": ({ uri }) => {
    subscribed.delete(uri);
    return {};
  },
  "prompts/list": () => ({
    prompts: [
      { name: "greet", title: "Greet", arguments: [{ name: "who", required: true }], _meta: { custom: true } },
      ...(more ? [{ name: "later" }] : []),
    ],
  }),
  "prompts/get": ({ name, arguments: args = {} }) =>
    name === "greet"
      ? {
          description: "A greeting",
          messages: [
            { role: "user", content: { type: "text", text: `Hello ${args.who}` } },
            { role: "user", content: { type: "resource", resource: { uri: "shared://document", text: "x" } } },
          ],
        }
      : null,
  "completion/complete": ({ ref, argument }) => ({
    completion: { values: [`${scheme} ${ref.name ?? ref.uri} ${argument.value}`], hasMore: false, total: 1 },
  }),
  "logging/setLevel": (params) => {
    level = params.level;
    return {};
  },
};

serveStdio({
  name: `offering-${scheme}`,
  tools: [],
  capabilities,
  handle: ({ id, method = "", params = {} }) => {
    if (method === "notifications/cancelled") streams.delete(params.requestId);
    if (id === undefined) return true;
    if (!stateless && (method === "initialize" || method === "ping")) return false;
    if (stateless && method === "server/discover") {
      const result = { supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0, cacheScope: "private" };
      const serverInfo = { name: `offering-${scheme}`, version: "1.0.0" };
      const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
      send({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result, _meta } });
      return true;
    }
    if (stateless && method === "subscriptions/listen") {
      streams.set(id, params.notifications);
      const acknowledged = { notifications: params.notifications, _meta: { [SUBSCRIPTION]: id } };
      send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: acknowledged });
      return true;
    }
    const result = Object.hasOwn(methods, method) ? methods[method]?.(params) : undefined;
    if (result === undefined) send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
    else if (result === null)
      send({ jsonrpc: "2.0", id, error: { code: -32602, message: "Not found", data: { params } } });
    else send({ jsonrpc: "2.0", id, result: stateless ? { resultType: "complete", ...result } : result });
    return true;
  },
});
