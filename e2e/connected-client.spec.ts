import { freePort } from "../src/lib/free-port.test-support";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { listen, startClient } from "./support/signing-client";

const EMAIL = "olivia@example.org";
const PASSWORD = "correct horse battery staple";

test("a user signs in for an MCP client, decides what it may do, and disconnects it", async ({ page, startServer }) => {
  test.setTimeout(120_000);
  const port = await freePort();
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
