import type { Container } from "./container";

type SignInRequest = (route: string, body: object) => Promise<Response>;

/** Makes a function that posts to a route of sign-in as a browser does, and throws where it is refused. */
export const createSignInRequest =
  (getContainer: () => Pick<Container, "signInRequests">, origin: string): SignInRequest =>
  async (route, body) => {
    const headers = { "content-type": "application/json", origin, "x-toolroom-peer": "127.0.0.1" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await getContainer().signInRequests?.(new Request(`${origin}/api/auth/${route}`, init));
    if (!response?.ok) throw new Error(`${route}: ${response?.status} ${await response?.text()}`);
    return response;
  };

/** The cookies that a response sets, as a browser sends them back. */
export const readCookie = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
