import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureInstalled, FIRST_START_MS, isAlive, SERVER_DIR, startServer } from "./zwave-mcp-server.test-support";

/** Takes npm's place: "installs" by linking to the packages that are there, slowly enough for two starts to overlap. */
const STAND_IN_FOR_NPM = `
const fs = require("node:fs");
const path = require("node:path");
console.log("npm chatter");
const from = process.env.STAND_IN_PACKAGES ?? ${JSON.stringify(path.join(SERVER_DIR, "node_modules"))};
setTimeout(() => {
  fs.mkdirSync("node_modules");
  for (const name of fs.readdirSync(from)) {
    fs.symlinkSync(path.join(from, name), path.join("node_modules", name), "junction");
  }
}, 1000);
`;

describe("the Z-Wave server's first start", () => {
  let directory = "";
  let copy = "";
  const npm = (script: string) => {
    const file = path.join(directory, "npm-stand-in.cjs");
    writeFileSync(file, script);
    // No network is needed, and none may be started, to answer tools/list.
    return { npm_execpath: file, ZWAVE_SERVER_URL: "ws://127.0.0.1:1" };
  };
  const leftovers = () => readdirSync(copy).filter((name) => name.startsWith(".install-"));

  beforeAll(async () => {
    await ensureInstalled();
    directory = mkdtempSync(path.join(tmpdir(), "zwave-first-start-"));
    copy = path.join(directory, "server");
    cpSync(SERVER_DIR, copy, {
      recursive: true,
      filter: (source) => !/[\\/](node_modules|\.install-[^\\/]*)$/.test(source),
    });
  }, FIRST_START_MS);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("MCP-04 says on stderr why it cannot start when its packages cannot be installed", async () => {
    const server = startServer(npm('console.log("npm chatter"); process.exit(7);'), copy);
    expect(await server.closed).toEqual({ code: 1, signal: null });
    expect(server.lines).toEqual([]);
    expect(server.stderr()).toContain("could not install this server's packages (exit code 7)");
    expect(leftovers()).toEqual([]);
  });

  it("MCP-04 ends at once, and with npm, when it is told to while it installs", async () => {
    const server = startServer(npm('console.log("npm is", process.pid); setInterval(() => {}, 1000);'), copy);
    const pid = Number(await server.logged(/npm is (\d+)/));
    server.child.kill("SIGTERM");
    expect(await server.closed).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
    expect(server.lines).toEqual([]);
    expect(leftovers()).toEqual([]);
  });

  it("MCP-04 two first starts at once both work, and neither prints npm's words on stdout", async () => {
    const env = npm(STAND_IN_FOR_NPM);
    const servers = [startServer(env, copy), startServer(env, copy)];
    for (const server of servers) {
      expect(await server.initialize()).toMatchObject({ serverInfo: { name: "zwave" } });
      expect((await server.request("tools/list")).result.tools).toHaveLength(5);
    }
    for (const server of servers) {
      await server.end();
      for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
      expect(server.stderr()).toContain("npm chatter");
    }
    expect(leftovers()).toEqual([]);
  });

  it("MCP-04 runs from a copy in its working folder where its own folder cannot be written", async () => {
    const env = npm(STAND_IN_FOR_NPM);
    const packages = path.join(directory, "packages/node_modules");
    const work = path.join(directory, "work");
    // Another user may not see the folder of the sources. Links take a moment where the disk is the same.
    mkdirSync(path.dirname(packages));
    const from = path.join(SERVER_DIR, "node_modules");
    if (spawnSync("cp", ["-al", from, packages]).status !== 0) cpSync(from, packages, { recursive: true });
    mkdirSync(work);
    const readOnly = path.join(directory, "installed");
    cpSync(copy, readOnly, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
    const files = readdirSync(readOnly);
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    chmodSync(directory, 0o755);
    chmodSync(readOnly, 0o555);
    if (user.uid !== undefined) chownSync(work, user.uid, user.uid);
    const server = startServer({ ...env, STAND_IN_PACKAGES: packages }, readOnly, { ...user, cwd: work });
    expect(await server.initialize()).toMatchObject({ serverInfo: { name: "zwave" } });
    expect((await server.request("tools/list")).result.tools).toHaveLength(5);
    await server.end();
    expect(readdirSync(readOnly)).toEqual(files);
    expect(server.stderr()).toContain(`runs from ${path.join(work, "zwave-mcp-server")}`);
    chmodSync(readOnly, 0o755);
  }, 120_000);
});
