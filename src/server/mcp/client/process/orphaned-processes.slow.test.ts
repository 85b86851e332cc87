import { spawn } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundleServerCode } from "../../../../../scripts/server-code.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { buildContext, isAlive, openBench, readText, script } from "../connections.test-support";
import { createMarker, endMarked, endOrphaned, MARKER_VARIABLE } from "./orphaned-processes";

const STUBBORN = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write('up');";

async function listPids(connections: ReturnType<typeof openBench>["connections"]): Promise<number[]> {
  return JSON.parse(readText(await connections.call("detaching", "pids", {}, buildContext())));
}

describe.runIf(process.platform === "linux")("processes of a stdio server that left its group and session", () => {
  it("end with their server: when it is switched off, restarted, and when everything closes", async () => {
    const { connections } = openBench();
    connections.apply(script("detaching"));
    const first = await listPids(connections);
    expect(first.map(isAlive)).toEqual([true, true, true]);
    await connections.reconnect("detaching");
    await waitUntil(() => !first.some(isAlive));

    const second = await listPids(connections);
    connections.apply(script("detaching", { enabled: false }));
    await waitUntil(() => !second.some(isAlive));

    connections.apply(script("detaching"));
    const third = await listPids(connections);
    await connections.close();
    expect(third.map(isAlive)).toEqual([false, false, false]);
  });

  it("of another server stay", async () => {
    const [mine, other] = [createMarker(), createMarker()].map((marker) => {
      const child = spawn(process.execPath, ["-e", STUBBORN], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
        env: { ...process.env, [MARKER_VARIABLE]: marker },
      });
      return { marker, child, up: new Promise((resolve) => child.stdout.once("data", resolve)) };
    });
    if (!mine || !other) throw new Error("two were started");
    await Promise.all([mine.up, other.up]);
    expect(await endMarked(mine.marker, 50)).toBe(1);
    expect(isAlive(Number(mine.child.pid))).toBe(false);
    await endOrphaned(50);
    expect(isAlive(Number(other.child.pid))).toBe(true);
    expect(await endMarked(other.marker, 50)).toBe(1);
  });

  it("end at the next start of Toolroom when it was killed, and with it when it just exits", async () => {
    const support = await bundleServerCode("src/server/mcp/client/transport/stdio-transport.ts");
    const server = path.resolve("e2e/support/mcp-servers/detaching.mjs");
    const code = `
      import { StdioTransport } from ${JSON.stringify(support)};
      const quiet = () => {};
      const transport = new StdioTransport(
        { command: process.execPath, args: [${JSON.stringify(server)}], environment: { PATH: process.env.PATH }, cwd: "/" },
        { maxMessageBytes: 1e6, maxLogLineChars: 1000, closeGraceMs: 300, drainMs: 100 },
        { stderr: quiet, garbage: quiet, tooLong: quiet });
      transport.onmessage = ({ result }) => process.stdout.write(result.content[0].text + "\\n");
      await transport.start();
      await transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pids", arguments: {} } });
      process.stdin.once("data", () => process.exit(0));
    `;
    for (const how of ["killed", "exits"]) {
      const owner = spawn(process.execPath, ["--input-type=module", "--eval", code], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const pids: number[] = JSON.parse(
        await new Promise((resolve) => owner.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))),
      );
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      const ended = new Promise((resolve) => owner.once("exit", resolve));
      if (how === "killed") owner.kill("SIGKILL");
      else owner.stdin.write("exit\n");
      await ended;
      if (how === "killed") {
        expect(pids.slice(1).map(isAlive)).toEqual([true, true]);
        expect(await endOrphaned(100)).toBeGreaterThanOrEqual(2);
      }
      await waitUntil(() => !pids.some(isAlive));
    }
  });
});
