import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readMigrationList } from "./migrate";
import { SCHEMA_FILTER, withSchemaEngine } from "./sqlite/schema-engine";
import { createScratchDatabase, type ScratchDatabase } from "./test-database";

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
