import { PREFERENCES_COOKIE, parsePreferences, serializePreferences } from "@/app/_kit/preferences";
import { toStorageName } from "@/lib/base-path";

const YEAR_S = 365 * 24 * 60 * 60;

/** Keeps what a user chose in a cookie. Untrusted text: values that are not known become the defaults. */
export async function POST(request: Request): Promise<Response> {
  const value = serializePreferences(parsePreferences(await request.text()));
  const cookie = `${toStorageName(PREFERENCES_COOKIE)}=${encodeURIComponent(value)}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax; HttpOnly`;
  return new Response(null, { status: 204, headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}
