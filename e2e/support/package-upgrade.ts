import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "./fixtures";
import type { PackedToolroom } from "./package";

/** For a program whose migrations are those of the older one: a version that changes a large table and adds another. */
const NEXT_MIGRATION = "20990101000000_next_version";
const NEXT_SQL = `ALTER TABLE "Execution" ADD COLUMN "next" TEXT;
UPDATE "Execution" SET "next" = "toolName";
CREATE TABLE "NextVersion" ("id" TEXT NOT NULL PRIMARY KEY);
`;

interface Programs {
  /** Runs them, each by its command. */
  packed: PackedToolroom;
  older: string;
  newer: string;
  /** The first migration that the older program does not have. */
  migration: string;
}

/** @param older a package of an earlier commit; absent: this one, and the newer one is what its next version would be */
export function choosePrograms(packed: PackedToolroom, older: PackedToolroom | null): Programs {
  const known = new Set((older ?? packed).migrations);
  const migration = packed.migrations.find((name) => !known.has(name));
  return {
    packed,
    older: (older ?? packed).command,
    newer: migration === undefined ? packed.addNextVersion(NEXT_MIGRATION, NEXT_SQL) : packed.command,
    migration: migration ?? NEXT_MIGRATION,
  };
}

/** Records with the older program, upgrades, and goes back by the command of each of the two programs. */
export async function proveUpgrade({ packed, older, newer, migration }: Programs): Promise<void> {
  const home = packed.createFolder("ines");
  const data = path.join(home, ".local/share/toolroom");
  const servers = packed.addFile("e2e/support/mcp-servers");
  const say = async (command: string, words: string[], code = 0) => {
    const ended = await packed.run(command, words, home);
    expect(ended, words.join(" ")).toEqual({ code, output: expect.any(String) });
    return ended.output;
  };
  const call = (command: string, tool: string, args: object) => say(command, ["call", tool, JSON.stringify(args)]);
  const listCalls = async (command: string): Promise<string[]> => {
    const { items } = JSON.parse(await say(command, ["executions", "list", "--json"])) as { items: { id: string }[] };
    return items.map(({ id }) => id);
  };
  const during = async (command: string, work: () => Promise<void>) => {
    const server = await packed.start(command, ["--port", "0"], home);
    await work();
    expect(await server.stop()).toBe(0);
  };

  /** What was restored starts paused. An earlier program has no such command, and what it restored is not paused. */
  const makeOriginal = (command: string) => packed.run(command, ["resume"], home);

  let before: string[] = [];
  /** What the older program recorded, and that its server is started with its secret. */
  const expectAll = async (command: string) => {
    const calls = await listCalls(command);
    expect(calls.slice(-before.length)).toEqual(before);
    expect(await call(command, "greet", {})).toContain("Hello");
    expect(await call(command, "teller__who", {})).toContain("kept-secret");
  };
  await during(older, async () => {
    await say(older, ["import", packed.addFile("e2e/support/greet-catalog.json")]);
    const server = ["--", "node", path.join(servers, "echo.mjs")];
    await say(older, ["servers", "add", "teller", "--env", "SERVER_NAME=kept-secret", ...server]);
    for (const text of ["one", "two"]) await call(older, "echo", { text });
    before = await listCalls(older);
    await expectAll(older);
    before = await listCalls(older);
  });

  const copy = path.join(data, `toolroom.db.before-${migration}.bak`);
  await during(newer, async () => {
    expect(existsSync(copy)).toBe(true);
    await expectAll(newer);
    expect((await listCalls(newer)).length).toBeGreaterThan(before.length);
  });

  const refusal = await packed.run(older, ["--port", "0"], home);
  expect(refusal.code).toBe(1);
  // Programs of earlier commits have words of their own.
  expect(refusal.output.trim().split("\n")).toEqual([
    expect.stringMatching(/was made by a newer version of Toolroom .*(?:restore the copy|toolroom restore)/),
  ]);
  expect(refusal.output).toContain(copy);

  for (const restoring of [newer, older]) {
    expect(await say(restoring, ["restore", copy])).toContain("Restored");
    await during(older, async () => {
      await makeOriginal(older);
      expect(await listCalls(older)).toEqual(before);
      await expectAll(older);
      before = await listCalls(older);
    });
    await during(newer, async () => {
      await makeOriginal(newer);
      await expectAll(newer);
    });
    expect(readdirSync(data).filter((name) => /\.before-\d.*\.bak$/.test(name))).toEqual([path.basename(copy)]);
  }
}
