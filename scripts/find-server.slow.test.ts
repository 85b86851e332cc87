import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ToolroomServer } from "./find-server.mjs";
import { createProver, readRunningServer, serverFile, serverStatus, writeRunningServer } from "./running-server.mjs";

/** A fake start script: prints, listens, registers its URL, answers health checks, and records its start. */
const START_SCRIPT = `
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createControlGuard, createProver, serverFile } from ${JSON.stringify(path.resolve("scripts/running-server.mjs"))};
const prove = createProver(serverFile("/", process.env.DATABASE_URL));
const isSigned = createControlGuard(serverFile("/", process.env.DATABASE_URL));
const server = createServer((request, response) => {
  const { url, socket } = request;
  if (url !== "/api/control/stop") return response.end(JSON.stringify({ status: "ok", proof: prove(url, socket.localPort) }));
  if (process.env.REFUSES_STOP || !isSigned(request, "")) return response.writeHead(403).end();
  appendFileSync(process.env.STARTS, "asked to stop\\n");
  response.writeHead(202).end(() => process.exit(0));
});
server.listen(Number(process.env.PORT), process.env.HOST, () => {
  appendFileSync(process.env.STARTS, "started\\n");
  console.log("Toolroom\\n  database up to date");
  console.log("Toolroom is ready: http://127.0.0.1:" + server.address().port);
});
process.on("SIGTERM", () => {
  appendFileSync(process.env.STARTS, "signalled\\n");
  process.exit(0);
});
`;

let folder: string;
let file: string;
const servers: Server[] = [];
const removers: (() => void)[] = [];
/** The requests that programs received. */
let heard: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-find-"));
  const databaseUrl = `file:${path.join(folder, "toolroom.db")}`;
  file = serverFile("/", databaseUrl);
  heard = [];
  vi.stubEnv("DATABASE_URL", databaseUrl);
  vi.stubEnv("STARTS", path.join(folder, "starts"));
  // Nothing listens on this port.
  vi.stubEnv("PORT", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const remove of removers.splice(0)) remove();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** @param note of the database that it uses; null for a program that is no Toolroom of it */
async function listen(status: () => string, note: string | null = file): Promise<string> {
  const prove = note === null ? () => "0".repeat(64) : createProver(note);
  const server = createServer(({ url = "", socket }, response) => {
    heard.push(url);
    response.end(JSON.stringify({ status: status(), proof: prove(url, socket.localPort ?? 0) }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function starter(platform?: NodeJS.Platform): ToolroomServer {
  const startScript = path.join(folder, "start.mjs");
  writeFileSync(startScript, START_SCRIPT);
  return new ToolroomServer({ startScript, ...(platform !== undefined && { platform }) });
}
const starts = () => (existsSync(path.join(folder, "starts")) ? readFileSync(path.join(folder, "starts"), "utf8") : "");

describe("the note of a running server", () => {
  it("lies beside the database, and is taken away by who wrote it only", () => {
    expect(file).toBe(path.join(folder, "toolroom.db.server.json"));
    expect(readRunningServer(file)).toBeNull();
    const remove = writeRunningServer(file, "http://127.0.0.1:4000");
    expect(readRunningServer(file)).toMatchObject({ pid: process.pid, url: "http://127.0.0.1:4000" });
    writeFileSync(file, JSON.stringify({ pid: 1, url: "http://127.0.0.1:4001" }));
    remove();
    expect(readRunningServer(file)?.pid).toBe(1);
    writeFileSync(file, "not JSON");
    expect(readRunningServer(file)).toBeNull();
  });

  it("replaces what an earlier server left, also where its process id or its address is this one's own", () => {
    const url = "http://127.0.0.1:4002";
    for (const left of [
      { pid: 999_999_999, url: "http://127.0.0.1:4001" },
      { pid: process.pid, url: "http://127.0.0.1:4001" },
      { pid: process.ppid, url },
    ]) {
      writeFileSync(file, JSON.stringify({ ...left, instance: "other" }));
      const remove = writeRunningServer(file, url);
      expect(readRunningServer(file)).toMatchObject({ pid: process.pid, url });
      remove();
      expect(existsSync(file)).toBe(false);
    }
  });
});

describe("finding Toolroom", () => {
  it("uses the address from its options", async () => {
    vi.stubEnv("TOOLROOM_URL", "http://127.0.0.1:4242");
    expect(await starter().find()).toBe("http://127.0.0.1:4242");
  });

  it("takes the noted server, and waits for one that starts", async () => {
    let status = "starting";
    const url = await listen(() => status);
    removers.push(writeRunningServer(file, url));
    setTimeout(() => {
      status = "ok";
    }, 300);
    expect(await starter().find()).toBe(url);
    expect(starts()).toBe("");
  });

  it("says once on stderr which server it uses, and takes none with another configuration than the one that is named", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    onTestFinished(() => said.mockRestore());
    const url = await listen(() => "ok");
    vi.stubEnv("TOOLROOM_CONFIG", path.join(folder, "one.json"));
    removers.push(writeRunningServer(file, url));
    const bridge = starter();
    await bridge.find();
    await bridge.find();
    expect(said.mock.calls).toEqual([[`Using the Toolroom at ${url} (the data in ${folder}).`]]);
    vi.stubEnv("TOOLROOM_CONFIG", path.join(folder, "other.json"));
    await expect(starter().find()).rejects.toThrow(`with ${path.join(folder, "one.json")}, not with`);
    vi.stubEnv("TOOLROOM_CONFIG", "");
    expect(await starter().find()).toBe(url);
    expect(starts()).toBe("");
  });

  it("takes a server whose configuration is the same file under another path", async () => {
    const config = path.join(folder, "one.json");
    const link = path.join(folder, "link.json");
    writeFileSync(config, "{}");
    symlinkSync(config, link);
    const url = await listen(() => "ok");
    vi.stubEnv("TOOLROOM_CONFIG", config);
    removers.push(writeRunningServer(file, url));
    vi.stubEnv("TOOLROOM_CONFIG", link);
    expect(await starter().find()).toBe(url);
  });

  it("takes a server that refuses calls, which says why in its answers, and starts no second one", async () => {
    const url = await listen(() => "failing");
    removers.push(writeRunningServer(file, url));
    expect(await starter().find()).toBe(url);
    expect(starts()).toBe("");
  });

  it("starts one where none runs, once for all who look, and ends it", async () => {
    writeFileSync(file, JSON.stringify({ pid: 999_999_999, url: await listen(() => "ok") }));
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const first = starter();
    const second = starter();
    const [url, other] = await Promise.all([
      first.find().then((found) => {
        removers.push(writeRunningServer(file, found));
        return found;
      }),
      second.find(),
    ]);
    expect(other).toBe(url);
    expect(starts()).toBe("started\n");
    expect(said.mock.calls.map(([text]) => String(text)).join("")).toContain("database up to date");
    said.mockRestore();
    expect(existsSync(`${file}.lock`)).toBe(false);
    await second.end();
    expect((await fetch(`${url}/healthz`)).ok).toBe(true);
    await first.end();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it.each([
    ["win32", "", "asked to stop"],
    ["win32", "yes", "signalled"],
    ["linux", "", "signalled"],
  ] as const)(
    "on %s ends the one it started by a request where signals cut calls (refused: '%s')",
    async (platform, refuses, end) => {
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      vi.spyOn(console, "error").mockReturnValue(undefined);
      vi.stubEnv("REFUSES_STOP", refuses);
      const toolroom = starter(platform);
      await toolroom.find();
      await toolroom.end();
      expect(starts()).toBe(`started\n${end}\n`);
    },
  );

  it.each(["at the default port", "where the note of a gone server leads"])(
    "starts one where another Toolroom or another program answers %s, and gives it no secret",
    async (where) => {
      vi.spyOn(process.stderr, "write").mockReturnValue(true);
      vi.spyOn(console, "error").mockReturnValue(undefined);
      const another = mkdtempSync(path.join(tmpdir(), "toolroom-another-"));
      onTestFinished(() => rmSync(another, { recursive: true }));
      createProver(file);
      // Its secret is a copy of ours, as after a copy of the whole data folder.
      const copy = serverFile("/", `file:${path.join(another, "toolroom.db")}`);
      copyFileSync(file.replace(".server.json", ".instance"), copy.replace(".server.json", ".instance"));
      for (const note of [null, copy, serverFile("/", `file:${path.join(another, "other.db")}`)]) {
        const url = await listen(() => "ok", note);
        if (where === "at the default port") vi.stubEnv("PORT", new URL(url).port);
        else writeFileSync(file, JSON.stringify({ pid: process.ppid, url }));
        const toolroom = starter();
        expect(await toolroom.find()).not.toBe(url);
        await toolroom.end();
      }
      expect(starts()).toBe("started\nsignalled\n".repeat(3));
      expect(heard.length).toBeGreaterThan(2);
      const secret = readFileSync(file.replace(".server.json", ".instance"), "utf8").trim();
      expect(heard.join("\n")).not.toContain(secret);
    },
  );

  it("is not fooled by a program that passes the challenge on to the real server", async () => {
    const real = await listen(() => "ok");
    const relay = createServer(async ({ url = "" }, response) => response.end(await (await fetch(real + url)).text()));
    servers.push(relay);
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    expect(await serverStatus(real, file)).toBe("ok");
    expect(await serverStatus(address, file)).toBeNull();
  });

  it("takes the Toolroom of its database at the default port without a note", async () => {
    const url = await listen(() => "ok");
    vi.stubEnv("PORT", new URL(url).port);
    expect(await starter().find()).toBe(url);
    expect(starts()).toBe("");
  });

  it("says so when it cannot be started", async () => {
    const startScript = path.join(folder, "broken.mjs");
    writeFileSync(startScript, "process.exit(1);");
    await expect(new ToolroomServer({ startScript }).find()).rejects.toThrow("Toolroom could not be started");
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
