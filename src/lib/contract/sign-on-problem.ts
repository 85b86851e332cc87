/** Why single sign-on did not sign a user in. The sign-in page gets the code in its address, never a text. */
export const SIGN_ON_PROBLEMS = {
  "not-invited": "You have no account here. Ask an admin of this server to invite your e-mail address.",
  "no-role": "Your account at the provider gives you no role here. Ask an admin of this server.",
  "no-email": "The provider sent no e-mail address. Ask an admin to let it send one.",
  unverified: "The provider has not verified your e-mail address. Verify it there and try again.",
  domain: "E-mail addresses of this domain may not sign in here.",
  "has-account":
    "Your e-mail address has an account with a password. Sign in with it once, then connect the provider in Settings → Account.",
  taken: "This identity belongs to another account of this server. Sign in with it, or use another identity.",
  disabled: "Your account is switched off. Ask an admin of this server.",
  cancelled: "The provider did not sign you in.",
  expired: "The sign-in took too long or was started in another browser. Try again.",
  changed: "Your account was changed during the sign-in. Sign in again.",
  unavailable: "The provider could not be reached. Try again later.",
  failed: "The provider's response could not be verified. The server's log says why.",
} as const;

export type SignOnProblem = keyof typeof SIGN_ON_PROBLEMS;

/** The text for an error code in an address. */
export function readSignOnProblem(code: unknown): string | null {
  return typeof code === "string" && Object.hasOwn(SIGN_ON_PROBLEMS, code)
    ? SIGN_ON_PROBLEMS[code as SignOnProblem]
    : null;
}
