import { createSignInLink } from "../features/accounts/sign-in-link";
import type { Env } from "./env";
import { findAdmin, openAccounts } from "./open-accounts";

/**
 * Creates a link that signs an admin in once, for a user who may read the database's key: the way in when no admin can
 * sign in. Works also while servers use the database.
 * @param email null where there is one admin only
 * @throws Error that says what is missing, or which account to name
 */
export async function createAdminLink(env: Env, email: string | null): Promise<{ email: string; url: string }> {
  const { store, audit, now, close } = await openAccounts(env);
  try {
    const user = await findAdmin(store, email, "npm run -s admin:link --");
    const origin = (env.publicUrl ?? `http://${env.host}:${env.port}`).replace(/\/$/, "");
    // The token is in the fragment, which browsers send to no server.
    return { email: user.email, url: `${origin}/join#${await createSignInLink({ store, audit, now }, user)}` };
  } finally {
    await close();
  }
}
