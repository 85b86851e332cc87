import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { readBlocks, readCommands } from "./support/documented-commands";
import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";

const ROOT = path.resolve(import.meta.dirname, "..");
/** What each command of the tour has to print or leave behind, by its words. */
const OUTCOMES: Record<string, (output: string, folder: string) => void> = {
  call: (output) => expect(output).toContain("sunny"),
  "executions list": (output) => expect(output).toMatch(/succeeded +get_weather/),
  stats: (output) => expect(output).toContain("get_weather"),
  "export executions": (_, folder) => expect(readFileSync(path.join(folder, "calls.csv"), "utf8")).toContain("Oslo"),
  backup: (_, folder) => expect(existsSync(path.join(folder, "toolroom-copy.db"))).toBe(true),
  doctor: (output) => expect(output).not.toBe(""),
};

test("the tour's commands run as they stand, in a clone and with the server that its first one starts", async () => {
  test.setTimeout(180_000);
  // A folder in the clone: npm finds the project from it, and files that commands write stay in it.
  mkdirSync(path.join(ROOT, ".toolroom"), { recursive: true });
  const folder = mkdtempSync(path.join(ROOT, ".toolroom", "tour-"));
  const data = mkdtempSync(path.join(tmpdir(), "toolroom-tour-"));
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1", TOOLROOM_DATA: data, TOOLROOM_AUTH: "off" };
  const [first = "", ...others] = readCommands("docs/start.md");
  expect(first).toBe("npm start");
  const server = spawn("sh", ["-c", `exec ${first}`], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(server, "exit");
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => (output += chunk));
  try {
    await waitUntil(() => /http:\/\/127\.0\.0\.1:\d+/.test(output), { timeoutMs: 120_000 });
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? "";
    await waitUntil(async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true, { timeoutMs: 30_000 });
    const tried = new Set<string>();
    for (const line of others) {
      const words = /-- (\S+(?: (?:list|executions))?)/.exec(line)?.[1] ?? line;
      const check = OUTCOMES[words];
      if (check === undefined) throw new Error(`No outcome is known for: ${line}`);
      const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd: folder, env });
      check(stdout, folder);
      tried.add(words);
    }
    expect([...tried]).toEqual(Object.keys(OUTCOMES));

    const [servers = ""] = readBlocks("docs/start.md", "json");
    writeFileSync(path.join(folder, "servers.json"), servers);
    const preview = "npm run -s toolroom -- import servers.json --dry-run";
    const { stdout } = await promisify(execFile)("sh", ["-c", preview], { cwd: folder, env });
    for (const name of Object.keys(JSON.parse(servers).mcpServers)) expect(stdout).toContain(name);

    const [addresses = ""] = readBlocks("docs/start.md", "");
    const served = [...addresses.matchAll(/http:\/\/127\.0\.0\.1:3000(\S+)/g)].map(([, address = ""]) => address);
    expect(served).toEqual(["/mcp", "/mcp/files", "/mcp?tools=a,b"]);
    for (const { connect } of GATEWAY_CLIENTS) {
      const lists = new Map<string, string[]>();
      for (const address of served) {
        // There is no such server here, and these are the names of two tools that are.
        const used = address.replace("/files", "").replace("a,b", "echo,clock");
        const client = await connect(url + used);
        lists.set(address, await client.listNames());
        await client.close();
      }
      expect(lists.get("/mcp")).toContain("get_weather");
      expect(lists.get("/mcp?tools=a,b")?.toSorted()).toEqual(["clock", "echo"]);
    }
  } finally {
    server.kill("SIGTERM");
    await ended;
    for (const used of [folder, data]) rmSync(used, { recursive: true, force: true });
  }
});
