import type { ConnectionState } from "../../../lib/contract";

/** Why a call finds no connection, and what to do about it. */
export function whyNotConnected(server: string, { status, reason }: ConnectionState): string {
  if (status === "disabled") return `Server '${server}' is disabled: enable it on its page in the console`;
  if (status === "sign_in_needed") {
    return `Server '${server}' needs a sign-in: open its page in the console and press 'Sign in'`;
  }
  return `Server '${server}' is unavailable: ${reason ?? "it is not connected"}`;
}
