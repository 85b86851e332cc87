import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { getApiToken } from "./support/accounts";
import { expect, test } from "./support/fixtures";
import { EVERYTHING_COMMAND, open } from "./support/servers";

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, "..");
const FILE = `// my servers
{
	"mcpServers": {
		"everything": ${JSON.stringify({ ...EVERYTHING_COMMAND, args: EVERYTHING_COMMAND.args.map((arg) => (arg.includes("/") ? path.join(ROOT, arg) : arg)) })}, // all of it
	},
}
`;

test("a client is wrapped while Toolroom runs, calls through it under the names that it knew, and gets its file back", async ({
  page,
  startServer,
}) => {
  const server = await startServer();
  const home = await mkdtemp(path.join(tmpdir(), "toolroom-wrap-"));
  const file = path.join(home, ".cursor/mcp.json");
  await mkdir(path.dirname(file));
  await writeFile(file, FILE);
  const token = getApiToken(server.url);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    USERPROFILE: home,
    DATABASE_URL: `file:${server.databaseFile}`,
    TOOLROOM_CONFIG: path.join(ROOT, "config/toolroom.example.json"),
    ...(token && { TOOLROOM_API_TOKEN: token }),
  };
  const toolroom = (...args: string[]) =>
    run(process.execPath, [path.join(ROOT, "scripts/toolroom.mjs"), ...args], {
      cwd: home,
      env: { ...process.env, ...env },
    });
  try {
    const { stdout } = await toolroom("wrap", "cursor", "--yes");
    expect(stdout).toContain("Cursor  ~/.cursor/mcp.json  everything\n");
    const text = (await readFile(file, "utf8")).replace(/\/\/.*$/gm, "").replace(/,(?=\s*[}\]])/g, "");
    const { command, args, env: settings } = JSON.parse(text).mcpServers.toolroom;
    await open(page, `${server.url}/executions`);
    const client = new Client({ name: "wrapped", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command, args, env: { ...env, ...settings }, stderr: "ignore" }));
    const { content } = await client.callTool({ name: "get-sum", arguments: { a: 2, b: 40 } });
    expect(content).toEqual([{ type: "text", text: "The sum of 2 and 40 is 42." }]);
    const row = page.getByRole("row").filter({ hasText: "gateway · wrapped/1.0.0" });
    await expect(row).toContainText("everything__get-sum");
    await expect(row.locator('[data-status="succeeded"]')).toBeVisible();
    await client.close();
    expect((await toolroom("unwrap")).stdout).toContain("restored byte for byte");
    expect(await readFile(file, "utf8")).toBe(FILE);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
