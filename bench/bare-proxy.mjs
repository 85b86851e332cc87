// The least that a gateway can do, as the floor of the gateway's benchmark: bytes pass from a client to an HTTP server, or
// lines to one over stdio, with no log, names, checks or sessions. `node bench/bare-proxy.mjs URL` or `node bench/bare-proxy.mjs stdio`
import { spawn } from "node:child_process";
import { Agent, createServer, request } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";

const target = process.argv[2] ?? "stdio";

function forwardBytes() {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return createServer((incoming, outgoing) => {
    const { host: _, ...headers } = incoming.headers;
    const upstream = request(target, { method: incoming.method ?? "GET", headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => upstream.destroy());
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
}

function forwardLines() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "gateway-echo-server.mjs"), "stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill());
  process.once("SIGTERM", () => process.exit(0));
  /** @type {Map<string, import("node:http").ServerResponse>} */
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id } = JSON.parse(line);
    waiting.get(String(id))?.writeHead(200, { "content-type": "application/json" }).end(line);
    waiting.delete(String(id));
  });
  return createServer((incoming, outgoing) => {
    if (incoming.method !== "POST") return void outgoing.writeHead(405).end();
    /** @type {Buffer[]} */
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { id } = JSON.parse(text);
      child.stdin.write(`${text}\n`);
      if (id === undefined) outgoing.writeHead(202).end();
      else waiting.set(String(id), outgoing);
    });
  });
}

const server = target === "stdio" ? forwardLines() : forwardBytes();
server.listen(0, "127.0.0.1", () => {
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${address.port}/mcp`);
});
