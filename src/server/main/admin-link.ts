import { existsSync } from "node:fs";
import { createAccountStore } from "../features/accounts/db/account-store";
import { createSignInLink } from "../features/accounts/sign-in-link";
import { createSecretBox } from "../platform/auth/secret-box";
import { openDatabase } from "../platform/db/database";
import { databaseFilePath } from "../platform/db/database-file";
import { createMasking } from "../platform/masking";
import { openAuditLog } from "./audit-parts";
import type { Env } from "./env";
import { createLogger } from "./logger";

/**
 * A link that signs an admin in once, for a user who may read the database's key: the way in when no admin can sign in. Also
 * while servers run on the database.
 * @param email null where there is one admin only
 * @throws Error that says what is missing, or whom to name
 */
export async function createAdminLink(env: Env, email: string | null): Promise<{ email: string; url: string }> {
  const { url, keyFile, location } = env.database;
  // Opening would create either.
  if (!existsSync(databaseFilePath(url))) {
    throw new Error(`There is no database ${location}: set DATABASE_URL to the one the server uses`);
  }
  if (env.secretKey === null && !existsSync(keyFile)) {
    throw new Error(`The key is missing: put the file ${keyFile} back, or set TOOLROOM_SECRET_KEY as for the server`);
  }
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile });
  const { masking } = createMasking(secretBox);
  const logger = createLogger({ ...env, logLevel: "error" }, (line) => masking.inJson(line));
  const db = await openDatabase({ url, logger });
  const now = (): number => Date.now();
  const { log: audit } = await openAuditLog({ db, env, secretBox, logger, masking });
  try {
    const store = createAccountStore({ db });
    const admins = (await store.people()).filter(({ role, disabledAt }) => role === "admin" && disabledAt === null);
    const wanted = email === null && admins.length === 1 ? admins[0]?.email : email?.trim().toLowerCase();
    const person = admins.find((admin) => admin.email === wanted);
    if (person === undefined) throw new Error(explainChoice(admins.map((admin) => admin.email)));
    const origin = (env.publicUrl ?? `http://${env.host}:${env.port}`).replace(/\/$/, "");
    // In the fragment, which browsers send to no server.
    return { email: person.email, url: `${origin}/join#${await createSignInLink({ store, audit, now }, person)}` };
  } finally {
    await audit.close();
    await db.close();
  }
}

function explainChoice(admins: readonly string[]): string {
  if (admins.length === 0) return "There is no admin yet: start the server, which prints a link for the first one";
  return `Name the admin to sign in as: npm run -s admin:link -- <e-mail>, one of ${admins.join(", ")}`;
}
