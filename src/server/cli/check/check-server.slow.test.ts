import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ChangeReport } from "../../../lib/contract/change-verdict";
import type { ServerSettingsInput } from "../../../lib/contract/server";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";
import { runWords, serveRest } from "../commands.test-support";

const SERVER = path.resolve("e2e/support/mcp-servers/versioned.mjs");
const schema = (required: string[]) => ({
  type: "object",
  properties: { path: { type: "string" }, priority: { type: "integer" } },
  required,
});
const READ = { name: "read", description: "Reads a page", inputSchema: schema(["path"]) };

let folder: string;
let container: Container;
let rest: Awaited<ReturnType<typeof serveRest>>;
/** Calls that the server got. */
const countCalls = async (log: string) => (await readFile(inFolder(log), "utf8")).split("tools/call").length - 1;
const inFolder = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-check-server-"));
  await writeFile(inFolder("old.json"), JSON.stringify([READ]));
  await writeFile(inFolder("new.json"), JSON.stringify([{ ...READ, inputSchema: schema(["path", "priority"]) }]));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent" }),
  );
  rest = await serveRest(container);
  const { servers, executions } = container.services;
  await servers.create(LOCAL_PRINCIPAL, {
    name: "pages",
    transport: "stdio",
    command: process.execPath,
    approval: "never",
    args: [SERVER, inFolder("old.json"), inFolder("old.log")],
  } as ServerSettingsInput);
  await waitUntil(() => servers.get("pages").toolCount === 1);
  const tool = servers.tools("pages", "", 0).items[0]?.catalogName ?? "";
  for (const args of [{ path: "a" }, { path: "b", priority: 1 }, { path: "c" }])
    await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: JSON.stringify(args) });
});
afterAll(async () => {
  await rest.close();
  await container.close();
  await rm(folder, { recursive: true, force: true });
});

function check(tools: string, ...words: string[]) {
  const command = ["--", process.execPath, SERVER, inFolder(tools), inFolder("new.log")];
  const where = ["--server", "pages", "--last", "7d", "--toolroom", rest.url];
  return runWords(["check", ...where, ...words, ...command], { cwd: folder, env: process.env });
}

describe("toolroom check against a server that runs", () => {
  it("says which recorded calls the candidate would reject, without a call of either version", async () => {
    const before = await countCalls("old.log");
    const { code, stdout } = await check("new.json", "--json");
    const report = JSON.parse(stdout) as ChangeReport;
    expect(code).toBe(1);
    expect(report.schema[0]?.findings[0]).toMatchObject({ rule: "input.required", path: "priority" });
    expect(report.traffic?.[0]).toMatchObject({ tool: "read", total: 3, counts: { accepted: 1, rejected: 2 } });
    expect((await check("new.json", "--report", "sarif=new.sarif")).stdout).toContain(
      "2 of 3 recent calls would be rejected",
    );
    // GitHub refuses a file with a result that names no file.
    const [{ results }] = JSON.parse(await readFile(inFolder("new.sarif"), "utf8")).runs;
    const places = results.map((each: { locations: { physicalLocation?: object }[] }) => each.locations[0]);
    expect(places).toEqual(places.map(() => expect.objectContaining({ physicalLocation: expect.anything() })));
    expect({ candidate: await countCalls("new.log"), server: await countCalls("old.log") }).toEqual({
      candidate: 0,
      server: before,
    });
  });

  it("passes for the tools that the server has, and ends with 3 for a server that is unknown", async () => {
    expect(await check("old.json")).toMatchObject({ code: 0, stdout: "No tool changed (1 tool).\n" });
    expect(await check("old.json", "--server", "nobody")).toMatchObject({ code: 3 });
  });
});
