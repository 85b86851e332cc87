import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToolroomServer } from "./find-server.mjs";
import { readRunningServer, serverFile, writeRunningServer } from "./running-server.mjs";

/** Stands in for the start script: prints, listens, says where, answers for its health, and notes that it was started. */
const START_SCRIPT = `
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
const server = createServer((_request, response) => response.end(JSON.stringify({ status: "ok" })));
server.listen(Number(process.env.PORT), process.env.HOST, () => {
  appendFileSync(process.env.STARTS, "started\\n");
  console.log("Toolroom\\n  database up to date");
  console.log("Toolroom is ready: http://127.0.0.1:" + server.address().port);
});
process.on("SIGTERM", () => process.exit(0));
`;

let folder: string;
let file: string;
const servers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-find-"));
  const databaseUrl = `file:${path.join(folder, "toolroom.db")}`;
  file = serverFile("/", databaseUrl);
  vi.stubEnv("DATABASE_URL", databaseUrl);
  vi.stubEnv("STARTS", path.join(folder, "starts"));
  // Nobody listens there: it is the port of nothing.
  vi.stubEnv("PORT", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(status: () => string): Promise<string> {
  const server = createServer((_request, response) => response.end(JSON.stringify({ status: status() })));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function starter(): ToolroomServer {
  const startScript = path.join(folder, "start.mjs");
  writeFileSync(startScript, START_SCRIPT);
  return new ToolroomServer({ startScript });
}
const starts = () => (existsSync(path.join(folder, "starts")) ? readFileSync(path.join(folder, "starts"), "utf8") : "");

describe("the note of a running server", () => {
  it("lies beside the database, and is taken away by who wrote it only", () => {
    expect(file).toBe(path.join(folder, "toolroom.db.server.json"));
    expect(readRunningServer(file)).toBeNull();
    const remove = writeRunningServer(file, "http://127.0.0.1:4000");
    expect(readRunningServer(file)).toEqual({ pid: process.pid, url: "http://127.0.0.1:4000" });
    writeFileSync(file, JSON.stringify({ pid: 1, url: "http://127.0.0.1:4001" }));
    remove();
    expect(readRunningServer(file)?.pid).toBe(1);
    writeFileSync(file, "not JSON");
    expect(readRunningServer(file)).toBeNull();
  });
});

describe("finding Toolroom", () => {
  it("takes the address that is given", async () => {
    vi.stubEnv("TOOLROOM_URL", "http://127.0.0.1:4242");
    expect(await starter().find()).toBe("http://127.0.0.1:4242");
  });

  it("takes the noted server, and waits for one that starts", async () => {
    let status = "starting";
    const url = await listen(() => status);
    writeRunningServer(file, url);
    setTimeout(() => {
      status = "ok";
    }, 300);
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
        writeRunningServer(file, found);
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

  it("says so when it cannot be started", async () => {
    const startScript = path.join(folder, "broken.mjs");
    writeFileSync(startScript, "process.exit(1);");
    await expect(new ToolroomServer({ startScript }).find()).rejects.toThrow("Toolroom could not be started");
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
