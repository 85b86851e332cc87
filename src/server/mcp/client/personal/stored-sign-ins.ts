import { isPlainObject } from "../../../../lib/contract/json";
import { equalInConstantTime } from "../oauth/oauth-client-settings";

/** The server that a callback's `state` belongs to, of one user's stored sign-ins; null for none. */
export function findSignIn(signIns: readonly { server: string; text: string }[], state: string | null): string | null {
  if (state === null || state === "") return null;
  return signIns.find(({ text }) => readStates(text).some((each) => equalInConstantTime(each, state)))?.server ?? null;
}

function readStates(text: string): string[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isPlainObject(stored) || !Array.isArray(stored.attempts)) return [];
  return stored.attempts.flatMap((attempt: unknown) => {
    const state = (attempt as { state?: unknown } | null)?.state;
    return typeof state === "string" ? [state] : [];
  });
}
