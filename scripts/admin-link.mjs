import { runEntryPoint } from "./entry-point.mjs";
import { StepError } from "./run-command.mjs";
import { ensureDependencies, ensureNode, ensurePrismaClient } from "./setup.mjs";

// npm run -s admin:link [-- <e-mail>]: prints a link that signs an admin in once, within half an hour, without a password.
// For the server whose database DATABASE_URL names, also while it runs.
await runEntryPoint(async () => {
  const [email] = process.argv.slice(2);
  ensureNode();
  await ensureDependencies();
  await ensurePrismaClient();
  const { register } = await import("tsx/esm/api");
  register();
  const { readEnv } = await import("../src/server/composition/env.ts");
  const { createAdminLink } = await import("../src/server/composition/admin-link.ts");
  const link = await createAdminLink(readEnv(), email ?? null).catch((/** @type {unknown} */ error) => {
    throw new StepError(error instanceof Error ? error.message : String(error));
  });
  console.log(`Sign in as ${link.email}, once, within half an hour: ${link.url}`);
});
