import { runEntryPoint } from "./entry-point.mjs";
import { failStep } from "./run-command.mjs";
import { importServerCode, prepareServerCode } from "./server-code.mjs";

// npm run audit:verify [-- <entry>:<hash>]: checks the audit log and the executions of the database that DATABASE_URL names. With the end that
// an earlier run printed, it also finds a log that was replaced by an older copy.
await runEntryPoint(async () => {
  const [noted] = process.argv.slice(2);
  await prepareServerCode();
  /** @type {typeof import("../src/server/main/env")} */
  const { readEnv } = await importServerCode("src/server/main/env.ts");
  /** @type {typeof import("../src/server/main/verify-audit-log")} */
  const { describeVerdict, isIntact, verifyAuditLog } = await importServerCode("src/server/main/verify-audit-log.ts");
  const env = readEnv();
  console.log(`Audit log of ${env.database.location}`);
  const verdict = await verifyAuditLog(env, noted).catch(failStep);
  console.log(describeVerdict(verdict));
  if (!isIntact(verdict)) process.exitCode = 1;
});
