import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";

const EMAIL = "olivia@example.org";
const PASSWORD = "correct horse battery staple";

/** A server on loopback; what it is asked for is kept. */
async function listen() {
  const requests: URL[] = [];
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? "", "http://127.0.0.1"));
    response.setHeader("content-type", "text/html").end("<title>Signed in</title><link rel=icon href=data:,>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}

async function findFreePort(): Promise<number> {
  const { port, close } = await listen();
  await close();
  return port;
}

/** A client in front of its person's browser. */
async function startClient(url: string, redirect: string) {
  const challenge = (await fetch(`${url}/mcp`, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  const { resource, authorization_servers: servers } = await (await fetch(metadata)).json();
  const { pathname, origin } = new URL(servers[0]);
  const about = await (await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`)).json();
  const registered = await fetch(about.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Journey client", redirect_uris: [redirect] }),
  });
  const { client_id: id } = await registered.json();
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    ...{
      response_type: "code",
      client_id: id,
      redirect_uri: redirect,
      resource,
      state: "s",
      scope: "mcp:read mcp:run",
    },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return {
    authorizeUrl: `${about.authorization_endpoint}?${query}`,
    async redeem(code: string): Promise<string> {
      const body = { grant_type: "authorization_code", client_id: id, code, redirect_uri: redirect };
      const form = new URLSearchParams({ ...body, code_verifier: verifier });
      return (await (await fetch(about.token_endpoint, { method: "POST", body: form })).json()).access_token;
    },
    async connect(token: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "journey", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
      return (await fetch(resource, init)).status;
    },
  };
}

test("a person signs in for an MCP client, decides what it may do, and disconnects it", async ({
  page,
  startServer,
}) => {
  test.setTimeout(120_000);
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const { url, output } = await startServer({ port, env: { TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: address } });
  const findSetup = () => /(\S+\/join#\S+)\n/.exec(output())?.[1] ?? "";
  await expect.poll(findSetup).toContain("/join#");
  const body = { token: findSetup().split("#")[1], name: "Olivia", email: EMAIL, password: PASSWORD };
  expect((await page.request.post(`${url}/api/auth/link/use`, { data: body })).status()).toBe(200);

  const callback = await listen();
  const client = await startClient(url, `http://127.0.0.1:${callback.port}/callback`);
  await page.goto(client.authorizeUrl);
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Allow Journey client?" })).toBeVisible();
  await expect(page.getByRole("navigation"), "nothing of the console is around it").toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Allow" }).click();
  await expect(page).toHaveTitle("Signed in");
  const answer = callback.requests.find(({ pathname }) => pathname === "/callback")?.searchParams;
  expect([answer?.get("state"), answer?.get("iss")]).toEqual(["s", `${address}/api/auth`]);
  const token = await client.redeem(answer?.get("code") ?? "");
  expect(await client.connect(token)).toBe(200);

  // Allowed before, for the same: the page says so and goes on by itself.
  await page.goto(client.authorizeUrl);
  await expect(page.getByRole("heading", { name: "Journey client is signing in again" })).toBeVisible();
  await expectAccessible(page);
  await expect(page).toHaveTitle("Signed in");
  const again = callback.requests.filter(({ pathname }) => pathname === "/callback").at(-1)?.searchParams;
  expect(await client.connect(await client.redeem(again?.get("code") ?? ""))).toBe(200);

  await page.goto(`${url}/settings/account`);
  await expect(page.getByText("Journey client")).toBeVisible();
  await page.getByRole("button", { name: "Disconnect Journey client" }).click();
  await expect(page.getByText("No connected clients.")).toBeVisible();
  expect(await client.connect(token)).toBe(401);

  expect((await page.request.get(`${url}/.well-known/anything`)).status()).toBe(404);
  await page.goto(`${url}/oauth/consent?error=invalid_client`);
  await expect(page.getByRole("heading", { name: "This sign-in can't continue" })).toBeVisible();
  await callback.close();
});
