import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import Sqlite from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createContainer } from "./container";
import { readEnv } from "./env";

it("after a migration that asks for it, the first start counts all calls again in the background, and figures say so until then", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rebuild-"));
  const open = () =>
    createContainer(
      readEnv({
        DATABASE_URL: `file:${folder}/toolroom.db`,
        TOOLROOM_LOG_LEVEL: "silent",
        TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      }),
    );
  const range = { since: 0 };
  const before = await open();
  for (const argumentsText of ['{"message":"a"}', '{"message":"b"}', "{}"]) {
    await before.services.executions.run(LOCAL_PRINCIPAL, { tool: "echo", argumentsText });
  }
  await before.services.executions.run(LOCAL_PRINCIPAL, { tool: "calculator", argumentsText: "{}" });
  const counted = await before.services.statistics.totals(range);
  expect(counted).toMatchObject({ calls: 4, consoleInvalid: 1, rebuilding: false });
  await before.close();

  // As an earlier version counted them: one class for all failures, and invalid arguments of users and programs alike.
  const sql = await readFile("prisma/migrations/20270112070000_classes_of_statistics/migration.sql", "utf8");
  const db = new Sqlite(path.join(folder, "toolroom.db"));
  db.exec(`UPDATE "Statistic" SET "class" = 'invalid' WHERE "class" = 'consoleInvalid'; ${sql}`);
  db.close();
  const after = await open();
  try {
    await waitUntil(async () => !(await after.services.statistics.totals(range)).rebuilding);
    expect(await after.services.statistics.totals(range)).toEqual(counted);
  } finally {
    await after.close();
  }
});
