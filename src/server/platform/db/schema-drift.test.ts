import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "./database.test-support";
import { migrateSqlite } from "./migrate";
import { readMigrationList, SCHEMA_FILTER, withSchemaEngine } from "./sqlite/schema-engine.test-support";

let scratch: ScratchDatabase;
beforeAll(async () => {
  scratch = await createScratchDatabase();
});
afterAll(() => scratch.remove());

function differenceTo(schema: string) {
  return withSchemaEngine(scratch.filePath, (engine) =>
    engine.diff({
      from: { tag: "migrations", ...readMigrationList(path.resolve("prisma/migrations")) },
      to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
      script: true,
      exitCode: true,
      filters: SCHEMA_FILTER,
    }),
  );
}

const schema = readFileSync(path.resolve("prisma/schema.prisma"), "utf8");

it("the migrations give exactly the schema that the code is generated from", async () => {
  const difference = await differenceTo(schema);
  expect(difference.stdout).toContain("empty migration");
  expect(difference.exitCode).toBe(0);
});

it("a column that no migration adds is noticed", async () => {
  const difference = await differenceTo(schema.replace("model Tool {", "model Tool {\n  forgotten String?"));
  expect(difference.exitCode).toBe(2);
  expect(difference.stdout).toContain("forgotten");
});

it("Prisma's engine takes a database that this product migrated for up to date", async () => {
  // Its own file, closed: the engine locks it exclusively.
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-drift-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const filePath = path.join(folder, "toolroom.db");
  await migrateSqlite({ url: `file:${filePath}`, logger: quietLogger() });
  const applied = await withSchemaEngine(filePath, (engine) =>
    engine.applyMigrations({
      migrationsList: readMigrationList(path.resolve("prisma/migrations")),
      filters: SCHEMA_FILTER,
    }),
  );
  expect(applied.appliedMigrationNames).toEqual([]);
});
