import { type ApiToken, apiTokenInputSchema } from "../../lib/contract/account";
import { SYSTEM_ACTOR } from "../../lib/contract/audit";
import { problemsOfIssues } from "../../lib/contract/problem";
import { readAccessRules } from "../features/accounts/access-rules";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { createTokenStore } from "../features/accounts/db/token-store";
import { describeToken } from "../features/accounts/token-operations";
import { createTokenService } from "../features/accounts/token-service";
import type { Env } from "./env";
import { findAdmin, openAccounts } from "./open-accounts";

/** The default of the console. */
const DEFAULT_DAYS = 90;

/**
 * Creates an API token of an admin, for a user who may read the database's key: programs and commands get access
 * without a browser. Works also while servers use the database.
 * @param email null where there is one admin only
 * @param days the days of validity; null for 90, or less where the greatest age is less
 * @throws Error that names the field, says what is missing, or which account to name
 */
export async function createApiToken(
  env: Env,
  email: string | null,
  wanted: object,
  days: number | null,
): Promise<{ token: ApiToken; text: string }> {
  const input = apiTokenInputSchema.safeParse({ ...wanted, validDays: days ?? DEFAULT_DAYS });
  if (!input.success) {
    const problems = problemsOfIssues(input.error.issues).map(({ path, message }) => `${path} ${message}`);
    throw new Error(`The token cannot be created: ${problems.join("; ")}`);
  }
  const { db, store, audit, now, close } = await openAccounts(env);
  try {
    const admin = await findAdmin(store, email, "toolroom token create <name> --admin");
    const publishChange = async (): Promise<void> => undefined;
    const { maxTokenDays } = await readAccessRules(createSettingStore({ db }));
    const tokens = createTokenService({
      accounts: true,
      store: createTokenStore({ db }),
      readMaxDays: async () => maxTokenDays,
      now,
      publishChange,
    });
    const validDays = days ?? Math.min(DEFAULT_DAYS, maxTokenDays ?? DEFAULT_DAYS);
    const made = await tokens.create({ ...admin, token: null }, { ...input.data, validDays });
    const after = describeToken(made.token);
    const by = { ...SYSTEM_ACTOR, token: null };
    const target = { kind: "token", name: input.data.name };
    await audit.record({ by, action: "tokens.create", target, outcome: "done", after });
    return made;
  } finally {
    await close();
  }
}
