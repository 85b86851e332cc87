import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, serveRest } from "./commands.test-support";

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-skills-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  server = await serveRest(container);
  await mkdir(path.join(folder, "steps/references"), { recursive: true });
  await writeFile(path.join(folder, "steps/SKILL.md"), "---\nname: steps\ndescription: How to\n---\n\nOne.\n");
  await writeFile(path.join(folder, "steps/references/data.bin"), Buffer.from([0, 255, 254]));
  await writeFile(path.join(folder, "steps/.DS_Store"), "x");
});
afterAll(async () => {
  await server.close();
  await container.close();
});

const run = (...words: string[]) => runWords(words, { env: { TOOLROOM_URL: server.url }, cwd: folder });

it("toolroom skills imports a folder and an archive, shows, exports, restores and deletes a skill", async () => {
  expect(await run("skills", "own")).toMatchObject({ code: 0, stderr: expect.stringContaining("skills import") });
  expect(await run("skills", "import", "steps")).toMatchObject({
    code: 0,
    stdout: "Imported steps, version 1, with 2 files.\n",
  });
  expect(await run("skills", "show", "steps")).toMatchObject({ stdout: expect.stringContaining("\nOne.\n") });
  expect(await run("skills", "import", "steps")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("'steps' is already taken"),
  });
  await run("skills", "export", "steps", "-o", "steps.zip");
  const first = await readFile(path.join(folder, "steps.zip"));
  await writeFile(path.join(folder, "steps/SKILL.md"), "---\nname: steps\ndescription: How to\n---\n\nTwo.\n");
  expect(await run("skills", "import", "steps", "--replace")).toMatchObject({
    stdout: "Imported steps, version 2, with 2 files.\n",
  });
  expect((await run("skills", "versions", "steps")).stdout).toMatch(/2 +imported[\s\S]+1 +imported/);
  expect(await run("skills", "restore", "steps", "1")).toMatchObject({
    stdout: "steps has version 3, with 2 files.\n",
  });
  await run("skills", "export", "steps", "-o", "again.zip");
  expect((await readFile(path.join(folder, "again.zip"))).equals(first)).toBe(true);
  expect((await run("skills", "own")).stdout).toMatch(/steps +3 +2 +How to/);
  expect(await run("skills", "delete", "steps")).toMatchObject({ code: 0, stdout: "Deleted steps.\n" });
  expect(await run("skills", "import", "steps.zip")).toMatchObject({ stdout: expect.stringContaining("version 1") });
  expect(await run("skills", "show", "other")).toMatchObject({ code: 3, stderr: expect.stringContaining("'other'") });
});

it("a link in a folder is refused, and what it leads to is not read", async () => {
  await mkdir(path.join(folder, "linked"));
  await writeFile(path.join(folder, "linked/SKILL.md"), "---\nname: linked\ndescription: How to\n---\n");
  await writeFile(path.join(folder, "secret.txt"), "planted");
  await symlink(path.join(folder, "secret.txt"), path.join(folder, "linked/more.md"));
  expect(await run("skills", "import", "linked")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("more.md is a link or a device"),
  });
  expect(container.services.ownSkills.has("linked")).toBe(false);
  expect(await run("skills", "import", "absent")).toMatchObject({ code: 2, stderr: expect.stringContaining("absent") });
});
