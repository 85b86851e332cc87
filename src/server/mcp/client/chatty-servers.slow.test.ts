import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { buildContext, openBench, readText, script } from "./connections.test-support";

const FRAME = pathToFileURL(
  path.resolve(import.meta.dirname, "../../../../e2e/support/mcp-servers/stdio-server.mjs"),
).href;

/** Keeps sending while its call "work" runs: progress, log messages and changes of its 100 tools. */
const CHATTY = `
import { send, serveStdio, text } from ${JSON.stringify(FRAME)};
const notify = (method, params) => send({ jsonrpc: "2.0", method, params });
const every = (ms, count, act) => setInterval(() => { for (let left = count; left > 0; left -= 1) act(); }, ms);
let step = 0;
let level = 0;
const work = async ({ ms }, { params }) => {
  const timers = [
    every(25, 5, () => notify("notifications/progress", { progressToken: params._meta.progressToken, progress: ++step })),
    every(100, 5, () => notify("notifications/message", { level: "info", data: "line " + ++level })),
    every(1000, 1, () => notify("notifications/tools/list_changed")),
  ];
  await new Promise((resolve) => setTimeout(resolve, ms));
  timers.forEach(clearInterval);
  return text("worked: " + step);
};
const many = Array.from({ length: 100 }, (_, index) => ({ name: "tool_" + index, description: "One of many" }));
serveStdio({
  name: "chatty",
  capabilities: { tools: { listChanged: true }, logging: {} },
  tools: [...many, { name: "ok", run: () => text("ok") }, { name: "work", run: work }],
});`;

const FLOOD = `
import { once } from "node:events";
import { send, serveStdio, text } from ${JSON.stringify(FRAME)};
const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "flood" } }) + "\\n";
serveStdio({
  name: "flood",
  capabilities: { tools: {}, logging: {} },
  tools: [{ name: "begin", run: () => {
    setTimeout(async () => { for (;;) if (!process.stdout.write(line.repeat(100))) await once(process.stdout, "drain"); }, 50);
    return text("begun");
  } }],
});`;

const source = (name: string, code: string) => ({ ...script(name), args: ["--input-type=module", "-e", code] });

/** Between two calls of a caller. */
const PAUSE_MS = 20;

/** Calls a tool again and again while `isGoing`. @returns the number of calls */
async function countCalls(call: () => Promise<unknown>, isGoing: () => boolean): Promise<number> {
  let calls = 0;
  for (; isGoing(); calls += 1) {
    await call();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return calls;
}

const SLOWER = "its messages are read more slowly";

describe("a server's notifications", () => {
  it("that are many but no flood leave it connected: its calls run, and nothing is read more slowly", async () => {
    const { connections, lines, lists, states } = openBench({
      // Fewer than it sends in this time: they are within the rate, not within the burst.
      limits: { inflow: { perSecond: 500, perCall: 50, burst: 500, maxFloodMs: 30_000 } },
    });
    connections.apply(source("chatty", CHATTY));
    await connections.ready("chatty");
    let working = true;
    const context = buildContext();
    const work = connections.call("chatty", "work", { ms: 4000 }, context).finally(() => {
      working = false;
    });
    const calls = await countCalls(
      async () => expect(readText(await connections.call("chatty", "ok", {}, buildContext()))).toBe("ok"),
      () => working,
    );
    expect(readText(await work)).toMatch(/^worked: \d+$/);
    expect(calls).toBeGreaterThan(5);
    expect(states.map(({ state }) => state.status)).toEqual(["connecting", "connected"]);
    expect(lines.some(({ line }) => line.text.includes(SLOWER))).toBe(false);
    expect(lists.length).toBeGreaterThan(2);
  });

  it("that are a flood end its connection alone: the calls of another server run meanwhile", async () => {
    const { connections, lines } = openBench({
      limits: { inflow: { perSecond: 500, perCall: 50, burst: 2000, maxFloodMs: 1000 } },
    });
    connections.apply(source("flood", FLOOD));
    connections.apply(script("echo"));
    await Promise.all([connections.ready("flood"), connections.ready("echo")]);
    const quiet = () => connections.call("echo", "echo", { text: "hi" }, buildContext());
    await connections.call("flood", "begin", {}, buildContext());
    const calls = await countCalls(quiet, () => connections.state("flood")?.status === "connected");
    expect(calls).toBeGreaterThan(5);
    expect(lines.some(({ line }) => line.text.includes(SLOWER))).toBe(true);
    expect(connections.state("echo")?.status).toBe("connected");
  });
});
