import type { Cookie, Page } from "@playwright/test";
import { waitUntil } from "../../src/lib/wait-until.test-support";

/** `E2E_ACCOUNTS=on`: every server of the journeys has accounts, and their browser is signed in as its admin. */
export const WITH_ACCOUNTS = process.env.E2E_ACCOUNTS === "on";

/** Named as the one user of a server without accounts, whom journeys look for. */
const OWNER = { name: "Local owner", email: "owner@example.org", password: "correct horse battery staple" };

const tokens = new Map<string, string>();
const cookies = new Map<string, Cookie[]>();

function post(url: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(path, url), {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });
}

async function readCookies(response: Response): Promise<Cookie[]> {
  if (!response.ok) throw new Error(`Could not sign in: ${response.status} ${await response.text()}`);
  return response.headers.getSetCookie().map((line) => {
    const [pair = "", ...attributes] = line.split("; ");
    const at = pair.indexOf("=");
    return {
      name: pair.slice(0, at),
      value: pair.slice(at + 1),
      domain: "127.0.0.1",
      path: "/",
      expires: -1,
      httpOnly: true,
      secure: attributes.includes("Secure"),
      sameSite: "Lax",
    };
  });
}

/** Creates the owner with the link that a new server prints, or signs in again after a restart. */
export async function signInOwner(url: string, output: () => string): Promise<void> {
  const { email, password } = OWNER;
  const signIn = () => post(url, "/api/auth/sign-in/email", { email, password, rememberMe: true });
  let response = await signIn();
  if (response.status === 401) {
    const findSetup = () => /\/join#(\S+)/.exec(output())?.[1];
    await waitUntil(() => findSetup() !== undefined);
    await post(url, "/api/auth/link/use", { token: findSetup(), ...OWNER });
    response = await signIn();
  }
  const signedIn = await readCookies(response);
  const cookie = signedIn.map(({ name, value }) => `${name}=${value}`).join("; ");
  const name = `journeys ${Date.now()}`;
  const input = { name, scopes: ["read", "run", "manage"], tools: null, servers: null, validDays: 1 };
  const created = await post(url, "/api/trpc/tokens.create", { json: input }, { cookie });
  const { result } = (await created.json()) as { result?: { data: { json: { text: string } } } };
  if (result === undefined) throw new Error(`No API token: ${created.status}`);
  tokens.set(new URL(url).origin, result.data.json.text);
  cookies.set(new URL(url).origin, signedIn);
}

/** Calls a procedure that no token may, as the owner's browser does. */
export async function callAsOwner<T>(url: string, procedure: string, input: object): Promise<T> {
  const own = cookies.get(new URL(url).origin) ?? [];
  const cookie = own.map(({ name, value }) => `${name}=${value}`).join("; ");
  const response = await post(url, `/api/trpc/${procedure}`, { json: input }, { cookie });
  const { result } = (await response.json()) as { result?: { data: { json: T } } };
  if (result === undefined) throw new Error(`${procedure} answered ${response.status}`);
  return result.data.json;
}

export function getApiToken(url: string): string | undefined {
  return tokens.get(new URL(url).origin);
}

/** The headers that a program sends to a server of these journeys; none while accounts are off. */
export function authorize(url: string): Record<string, string> {
  const token = getApiToken(url);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The headers that a browser or a program sends to an address of such a server. */
export function identify(address: string): Record<string, string> {
  const { origin, pathname } = new URL(address);
  if (/^\/(api|mcp)(\/|$)/.test(pathname)) return authorize(origin);
  const cookie = (cookies.get(origin) ?? []).map(({ name, value }) => `${name}=${value}`).join("; ");
  return cookie === "" ? {} : { cookie };
}

/** After the end of a server, whose cookies the browser of a later journey must not have. */
export function forgetOwner(url: string): void {
  const { origin } = new URL(url);
  tokens.delete(origin);
  cookies.delete(origin);
}

/** The cookies of every server that runs; each has a cookie of its own name. */
export function ownerCookies(): Cookie[] {
  return [...cookies.values()].flat();
}

/** Signs the browser of a page in as the owner of a server with accounts. */
export async function signInPage(page: Page, { url, output }: { url: string; output(): string }): Promise<void> {
  await signInOwner(url, output);
  await page.context().addCookies(ownerCookies());
}
