import type { Actor } from "../../../lib/contract/actor";
import { getClientAddress } from "../../../lib/http-guard/request-headers";
import type { OnAccessChange } from "../../platform/shared/watch-reader";
import type { AuthLibrary } from "./account-ports";
import { copyRequest, rejectSignIn, setCookies } from "./auth-answers";
import type { KnownDevices } from "./known-devices";
import { endNewSession, watchAccessChanges } from "./sign-in-changes";
import type { SignInEntries } from "./sign-in-entries";
import type { SignInThrottle } from "./sign-in-throttle";

export interface PasswordSignInPorts {
  auth: Pick<AuthLibrary, "handle">;
  throttle: SignInThrottle;
  devices: KnownDevices;
  /** The provider's name when passwords are switched off; null when passwords may be used. */
  onlySignOn: string | null;
  findPerson(email: string): Promise<Actor | null>;
  onAccessChange: OnAccessChange;
}

/** Signs in with a password, unless too many wrong ones came before. */
export function createPasswordSignIn(ports: PasswordSignInPorts, record: SignInEntries) {
  const { auth, throttle, devices } = ports;

  return async (request: Request, text: string, email: string): Promise<Response> => {
    if (ports.onlySignOn !== null) {
      const message = `Passwords are switched off on this server: sign in with ${ports.onlySignOn}`;
      await record.failure(request, "signIn", email, message);
      return rejectSignIn(403, message);
    }
    const person = await ports.findPerson(email.trim().toLowerCase());
    const device = person === null ? null : devices.find(request.headers, person.id);
    const attempt = await throttle.begin({ account: email, address: getClientAddress(request.headers), device });
    if ("waitSeconds" in attempt) {
      const wait = String(attempt.waitSeconds);
      await record.failure(request, "signIn", email, "Too many wrong passwords for this account");
      return rejectSignIn(429, `Too many wrong passwords for this account: try again in ${wait} s`, {
        "retry-after": wait,
      });
    }
    const changes = watchAccessChanges(ports.onAccessChange);
    const response = await auth
      .handle(copyRequest(request, text))
      .catch(async (error: unknown) => {
        await attempt.release();
        throw error;
      })
      .finally(changes.stop);
    if (response?.status === 401) {
      await record.failure(request, "signIn", email, "The e-mail address or the password is wrong");
      return rejectSignIn(401, "The e-mail address or the password is wrong");
    }
    if (response?.ok !== true) await attempt.release();
    if (response === null) return rejectSignIn(404, "Not found");
    if (response.status === 429) {
      await record.failure(request, "signIn", email, "Too many tries from this address");
      return tooMany(response);
    }
    if (!response.ok) {
      await record.failure(request, "signIn", email, "This account cannot sign in");
      return rejectSignIn(response.status === 403 ? 403 : 400, "This account cannot sign in: ask an admin");
    }
    if (person !== null && changes.includes(person.id)) {
      // The password may have been replaced during the check, or the sessions were ended before this one began.
      await endNewSession(auth, request, response.headers.getSetCookie());
      await record.failure(request, "signIn", email, "The account was changed during the sign-in");
      return rejectSignIn(409, "Your account was changed during the sign-in: sign in again");
    }
    // Before the cookie: a sign-in without an entry must not happen.
    await record.signIn(request, email);
    await attempt.succeed();
    // The library's answer holds the session's token, which belongs in the cookie only.
    const answered = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
    const known = person === null ? [] : [devices.remember(request.headers, person.id)];
    setCookies(answered, request, [...response.headers.getSetCookie(), ...known]);
    return answered;
  };
}

function tooMany(response: Response): Response {
  const wait = response.headers.get("x-retry-after") ?? "60";
  return rejectSignIn(429, `Too many tries from this address: try again in ${wait} s`, { "retry-after": wait });
}
