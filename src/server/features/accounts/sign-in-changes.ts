import type { OnAccessChange } from "../../platform/shared/watch-reader";
import type { AuthLibrary } from "./account-ports";

/**
 * Collects the users whose access changes during a sign-in: the change did not end the session that the sign-in opens.
 * `null` means any user.
 */
export function watchAccessChanges(onAccessChange: OnAccessChange) {
  const changed = new Set<string | null>();
  const stop = onAccessChange((userId) => void changed.add(userId));
  return { stop, includes: (userId: string): boolean => changed.has(userId) || changed.has(null) };
}

/** @param cookies of the session, as they would have been set */
export async function endNewSession(
  auth: Pick<AuthLibrary, "handle">,
  request: Request,
  cookies: readonly string[],
): Promise<void> {
  const headers = new Headers(request.headers);
  headers.set("cookie", cookies.map((cookie) => cookie.split(";", 1)[0]).join("; "));
  headers.set("content-type", "application/json");
  headers.delete("content-length");
  await auth.handle(new Request(new URL("/api/auth/sign-out", request.url), { method: "POST", headers, body: "{}" }));
}
