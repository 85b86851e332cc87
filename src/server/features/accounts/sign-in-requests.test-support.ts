import { getClientAddress } from "../../../lib/http-guard/request-headers";
import { openAccounts } from "./accounts.test-support";
import { createSignInRequests } from "./sign-in-requests";

/** The requests of the sign-in pages on a real database. */
export async function openSignIn(given: Parameters<typeof openAccounts>[0] = {}) {
  const accounts = await openAccounts(given);
  const { auth, links, access, audit, store, limits, throttle, devices, publishChange, onlySignOn } = accounts;
  const errors: object[] = [];
  const answer = createSignInRequests({
    auth,
    links,
    audit,
    clients: null,
    signOn: null,
    throttle,
    devices,
    publishChange,
    onlySignOn,
    onAccessChange: access.onChange,
    findUser: (email) => store.findUserByEmail(email),
    authenticate: (headers) => access.authenticate(headers, "console"),
    admit: (headers) => limits?.admit(null, getClientAddress(headers)),
    logger: { error: (fields) => void errors.push(fields) },
  });
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    answer(
      new Request(`http://localhost:3000/api/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: "http://localhost:3000", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
  return { ...accounts, send, answer, errors };
}
