// Speaks both eras of the protocol, and takes its time for the first answer: `node dual-era.mjs 3500` (milliseconds).
import { send, serveStdio, text } from "./stdio-server.mjs";

let ready = false;
/** @type {(() => void)[]} */
const held = [];
setTimeout(
  () => {
    ready = true;
    for (const answer of held) answer();
  },
  Number(process.argv[2] ?? 0),
);

serveStdio({
  name: "dual-era",
  tools: [{ name: "ok", run: () => text("fine") }],
  handle: ({ id, method, params }) => {
    if (method !== "server/discover" && method !== "initialize") return false;
    const result =
      method === "server/discover"
        ? {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: {},
            ttlMs: 0,
            cacheScope: "private",
          }
        : { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "dual-era", version: "1" } };
    const answer = () => send({ jsonrpc: "2.0", id, result });
    if (ready) answer();
    else held.push(answer);
    return true;
  },
});
