import path from "node:path";
import { runEntryPoint } from "./entry-point.mjs";
import { failStep, StepError } from "./run-command.mjs";
import { importServerCode, prepareServerCode } from "./server-code.mjs";

// npm run restore -- <file>: puts a copy in the place of the database that DATABASE_URL names, and keeps what was there.
await runEntryPoint(async () => {
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    throw new StepError("Name the copy to restore.", {
      wayOut: "npm run restore -- data/toolroom.db.before-<migration>.bak",
    });
  }
  await prepareServerCode();
  /** @type {typeof import("../src/server/main/env")} */
  const { readEnv } = await importServerCode("src/server/main/env.ts");
  /** @type {typeof import("../src/server/main/backup-database")} */
  const { restoreBackup } = await importServerCode("src/server/main/backup-database.ts");
  const { database, rootDir } = readEnv();
  const copy = path.resolve(process.env.INIT_CWD ?? process.cwd(), file);
  const { filePath, previous, migration } = await restoreBackup(database.url, rootDir, copy).catch(failStep);
  console.log(`Restored ${filePath} (newest migration: ${migration}).`);
  if (previous !== null) console.log(`What was there is now ${previous}`);
});
