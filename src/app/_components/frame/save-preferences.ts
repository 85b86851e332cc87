"use server";

import { cookies } from "next/headers";
import { PREFERENCES_COOKIE, type Preferences, parsePreferences, serializePreferences } from "./preferences";

const YEAR_S = 365 * 24 * 60 * 60;

/** Callable by anybody who can reach the server, so what arrives is read as a stranger's. */
export async function savePreferences(preferences: Preferences): Promise<void> {
  const value = serializePreferences(parsePreferences(serializePreferences(preferences)));
  const jar = await cookies();
  jar.set(PREFERENCES_COOKIE, value, { path: "/", maxAge: YEAR_S, sameSite: "lax", httpOnly: true });
}
