import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import Sqlite from "./sqlite.mjs";

const run = promisify(execFile);
const definition = {
  name: "greet",
  description: "Greets",
  type: "function",
  handler: "greet",
  parameters: { type: "object", properties: {} },
  implementation: { type: "mock", mock_response: "Hi" },
};
const settings = { transport: "http", url: "https://example.com/mcp", headers: [{ name: "X-Key", value: null }] };
const FILE = JSON.stringify({
  toolroom: 1,
  tools: [{ definition, enabled: true, approval: null }],
  servers: [{ name: "remote", enabled: true, approval: null, settings }],
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-catalog-"));
  await writeFile(path.join(folder, "file.json"), FILE);
  await writeFile(path.join(folder, "empty.json"), "{}");
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function command(name: "export" | "import", database: string, args: string[] = [], more = {}): Promise<Ended> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: `file:${folder}/${database}.db`,
    TOOLROOM_CONFIG: path.join(folder, "empty.json"),
    INIT_CWD: folder,
    TOOLROOM_URL: undefined,
    TOOLROOM_API_TOKEN: undefined,
    npm_lifecycle_event: undefined,
    ...more,
  };
  try {
    return { code: 0, ...(await run(process.execPath, [`scripts/catalog-${name}.mjs`, ...args], { env })) };
  } catch (error) {
    return error as Ended;
  }
}

describe("the commands of the catalog", () => {
  it("import a file into a new database and export the same bytes from another one, without a server", async () => {
    const imported = await command("import", "one", ["file.json"]);
    expect([imported.code, imported.stdout]).toEqual([0, expect.stringMatching(/add +tool greet.*2 imported/s)]);
    const first = await command("export", "one");
    await writeFile(path.join(folder, "first.json"), first.stdout);
    await command("import", "two", ["first.json"]);
    expect((await command("export", "two")).stdout).toBe(first.stdout);
    expect((await command("import", "two", ["first.json"])).stdout).toBe("0 to import, 2 without a change.\n");
    const raw = new Sqlite(path.join(folder, "one.db"), { readonly: true });
    expect(raw.prepare(`SELECT "actorId" FROM "AuditEntry" WHERE action = 'sharing.import'`).pluck().all()).toEqual([
      "automation",
    ]);
    raw.close();
  }, 180_000);

  it("change nothing in a dry run, and say which entries are replaced and which refused, without the control characters of a file", async () => {
    await command("import", "three", ["file.json"]);
    const before = await readFile(path.join(folder, "three.db"));
    const other = FILE.replace("Greets", "Greets warmly");
    await writeFile(path.join(folder, "other.json"), other);
    const dry = await command("import", "three", ["other.json", "--dry-run"]);
    expect(dry.stdout).toMatch(/replace +tool greet.*1 to import, 1 without a change/s);
    expect((await command("export", "three")).stdout).not.toContain("warmly");
    expect(before.length).toBeGreaterThan(0);
    const odd = '"type":"\\u001b]0;title\\u0007\\u001b[2Jstring"';
    const broken = FILE.replace('"type":"object"', odd).replace('"remote"', '"re\\u001b[1Amote"');
    await writeFile(path.join(folder, "broken.json"), broken);
    const { code, stdout, stderr } = await command("import", "three", ["broken.json"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Nothing was imported: ")]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would run.
    expect((stdout + stderr).replace(/\n/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    const none = await command("export", "none");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("There is no database")]);
    expect((await command("import", "three", [])).stderr).toContain("Name one file");
  }, 180_000);

  it("go through the running server with the token of TOOLROOM_API_TOKEN", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(200, { "content-type": "application/json" }).end("{}\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await command("export", "none", [], { TOOLROOM_URL: url, TOOLROOM_API_TOKEN: "trm_secret" });
    expect(ended.stdout).toBe("{}\n");
    expect(asked).toEqual(["GET /api/v1/catalog?versions=false&exportedAt=false Bearer trm_secret"]);
    server.close();
  });
});
