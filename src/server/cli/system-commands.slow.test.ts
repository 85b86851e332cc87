import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openImport } from "../features/servers/import/parse-import.test-support";
import { backupDatabase, restoreBackup } from "../main/backup-database";
import { createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, serveRest } from "./commands.test-support";
import { MemoryCatalog } from "./wrap/wrap.test-support";

it("toolroom doctor says that a restored copy is paused and what waits, and toolroom resume makes it the original", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-system-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] } }));
  const url = `file:${path.join(folder, "toolroom.db")}`;
  const open = async () => {
    const container = await createContainer(
      readEnv({ DATABASE_URL: url, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
    );
    onTestFinished(() => container.close());
    const server = await serveRest(container);
    onTestFinished(() => server.close());
    const run = (...words: string[]) => runWords(words, { env: { TOOLROOM_URL: server.url } });
    return { container, run };
  };
  const original = await open();
  expect(await original.run("doctor")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Nothing is wrong\.\n$/),
  });
  expect(await original.run("resume")).toMatchObject({ code: 4, stderr: expect.stringContaining("not paused") });
  const saved = path.join(folder, "saved.db");
  await backupDatabase(url, folder, saved);
  await original.container.close();
  await restoreBackup(url, folder, saved);

  const copy = await open();
  expect(await copy.run("doctor")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/Paused: .*restored from saved\.db[\s\S]*Waiting: schedules[\s\S]*toolroom resume/),
  });
  expect(JSON.parse((await copy.run("doctor", "--json")).stdout)).toMatchObject({ paused: { reason: "restored" } });
  expect(await copy.run("resume")).toMatchObject({ code: 0, stdout: expect.stringContaining("is the original now") });
  expect(await copy.run("doctor")).toMatchObject({ code: 0 });
});

it("toolroom doctor checks and repairs wrapped clients where no Toolroom runs, which they start themselves", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const script = path.join(folder, "clone/scripts/mcp.mjs");
  const file = path.join(folder, ".cursor/mcp.json");
  for (const each of [script, file]) await mkdir(path.dirname(each), { recursive: true });
  await writeFile(script, "");
  await writeFile(file, '{"mcpServers":{"files":{"command":"files-mcp"}}}');
  const catalog = new MemoryCatalog(openImport());
  const run = (clone: string, ...words: string[]) => {
    const rootDir = path.join(folder, clone);
    const env = { HOME: folder, USERPROFILE: folder, TOOLROOM_HOME: rootDir };
    const place = { env, rootDir, cwd: folder, openCatalog: async () => catalog };
    return runWords([...words, "--data", path.join(folder, "data")], place);
  };
  expect(await run("clone", "doctor")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("No Toolroom is running"),
  });
  expect(await run("clone", "wrap", "--yes")).toMatchObject({ code: 0 });
  expect(await run("clone", "doctor")).toEqual({
    code: 0,
    stdout: `cursor ${file} ok\nNo Toolroom is running: wrapped clients start one.\nNothing is wrong.\n`,
    stderr: "",
  });
  await rename(path.join(folder, "clone"), path.join(folder, "moved"));
  const { code, stdout } = await run("moved", "doctor", "--json");
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { wrapped: [{ client: "cursor", file, result: "repaired", detail: `${script} is gone` }] },
  ]);
  await writeFile(file, "broken");
  expect(await run("moved", "doctor")).toMatchObject({ code: 1, stderr: "1 problem\n" });
});
