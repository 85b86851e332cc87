import { runEntryPoint } from "./entry-point.mjs";
import { failStep } from "./run-command.mjs";
import { importServerCode, prepareServerCode } from "./server-code.mjs";

// npm run -s admin:link [-- <e-mail>]: prints a link that signs an admin in once, within half an hour, without a password.
// For the server whose database DATABASE_URL names, also while it runs.
await runEntryPoint(async () => {
  const [email] = process.argv.slice(2);
  await prepareServerCode();
  /** @type {typeof import("../src/server/main/env")} */
  const { readEnv } = await importServerCode("src/server/main/env.ts");
  /** @type {typeof import("../src/server/main/admin-link")} */
  const { createAdminLink } = await importServerCode("src/server/main/admin-link.ts");
  const link = await createAdminLink(readEnv(), email ?? null).catch(failStep);
  console.log(`Sign in as ${link.email}, once, within half an hour: ${link.url}`);
});
