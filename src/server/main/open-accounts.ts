import { existsSync } from "node:fs";
import type { User } from "../../lib/contract/account";
import { createAccountStore } from "../features/accounts/db/account-store";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createDatabaseOrigin } from "../features/system/db/database-origin";
import { openPause } from "../features/system/pause";
import { createSecretBox } from "../platform/auth/secret-box";
import { createSilentBulletin } from "../platform/coordination/bulletin";
import { isDatabaseMissing } from "../platform/db/describe-database";
import { openDatabase } from "../platform/db/open-database";
import { createMasking } from "../platform/masking";
import { openAuditLog } from "./audit-parts";
import type { Env } from "./env";
import { createLogger } from "./logger";

/**
 * Accounts and audit log of a database, for a user who may read its key, also while servers run on it.
 * @throws Error that says what is missing
 */
export async function openAccounts(env: Env) {
  const { url, directUrl, keyFile, location } = env.database;
  // Checked first, since opening would create the database and the key.
  if (isDatabaseMissing(env.database)) {
    throw new Error(`There is no database ${location}: set DATABASE_URL to the one the server uses`);
  }
  if (env.secretKey === null && !existsSync(keyFile)) {
    throw new Error(`The key is missing: put the file ${keyFile} back, or set TOOLROOM_SECRET_KEY as for the server`);
  }
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile });
  const { masking } = createMasking(secretBox);
  const logger = createLogger({ ...env, logLevel: "error" }, (line) => masking.inJson(line));
  const db = await openDatabase({ url, directUrl, logger });
  const now = (): number => Date.now();
  // The command may be the first that opens a restored database.
  const pause = await openPause({
    settings: createSettingStore({ db }),
    origin: createDatabaseOrigin(db),
    bulletin: createSilentBulletin(),
    logger,
    now,
  });
  const { log: audit } = await openAuditLog({ db, env, secretBox, logger, masking, pause });
  const store = createAccountStore({ db });
  return {
    db,
    store,
    audit,
    now,
    async close(): Promise<void> {
      await audit.close();
      await db.close();
    },
  };
}

/** @param email null where there is one admin only @param command the words before an address @throws Error that lists the admins */
export async function findAdmin(
  store: { people(): Promise<User[]> },
  email: string | null,
  command: string,
): Promise<User> {
  const admins = (await store.people()).filter(({ role, disabledAt }) => role === "admin" && disabledAt === null);
  const wanted = email === null && admins.length === 1 ? admins[0]?.email : email?.trim().toLowerCase();
  const user = admins.find((admin) => admin.email === wanted);
  if (user !== undefined) return user;
  if (admins.length === 0) {
    throw new Error("There is no admin yet: start the server with accounts, which prints a link for the first one");
  }
  throw new Error(`Name the admin: ${command} <e-mail>, one of ${admins.map((admin) => admin.email).join(", ")}`);
}
