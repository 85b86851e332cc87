import { freePort } from "../src/lib/free-port.test-support";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { AT_PROVIDER, startForeignProvider } from "./support/identity-provider/start";
import { open } from "./support/servers";

test("a user signs in with an identity provider of another maker, has the role of its groups, and is refused once it has removed the user", async ({
  page,
  browser,
  startServer,
  allowProblems,
}) => {
  test.setTimeout(120_000);
  allowProblems(/status of 500/);
  const idp = await startForeignProvider();
  try {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    await idp.allowRedirect(`${address}/api/auth/callback/oidc`);
    const user = { sub: "u-ines", email: "ines@example.org", email_verified: true, name: "Inês", groups: ["tools"] };
    await idp.addUser(user);
    const { url } = await startServer({
      port,
      env: {
        TOOLROOM_AUTH: "on",
        TOOLROOM_PUBLIC_URL: address,
        TOOLROOM_OIDC_ISSUER: idp.issuer,
        TOOLROOM_OIDC_CLIENT_ID: AT_PROVIDER.id,
        TOOLROOM_OIDC_CLIENT_SECRET: AT_PROVIDER.secret,
        TOOLROOM_OIDC_NAME: "Company ID",
        TOOLROOM_OIDC_SCOPES: "openid profile email groups",
        TOOLROOM_OIDC_ROLES_CLAIM: "groups",
        TOOLROOM_OIDC_ROLES: "tools=admin",
      },
    });
    await page.goto(`${url}/tools`);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with Company ID" }).click();
    await page.getByPlaceholder("Enter any login").fill(user.sub);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page, "the page that was asked for").toHaveURL(`${url}/tools`);
    await open(page, `${url}/settings/people`);
    await expect(page.getByRole("row").filter({ hasText: "ines@example.org" })).toContainText("Inês");
    await expectAccessible(page);

    await idp.removeUser(user.sub);
    const other = await (await browser.newContext()).newPage();
    await other.goto(url);
    await other.getByRole("button", { name: "Sign in with Company ID" }).click();
    await other.getByPlaceholder("Enter any login").fill(user.sub);
    await other.getByPlaceholder("and password").fill("any");
    await other.getByRole("button", { name: "Sign-in" }).click();
    await expect(other.getByRole("heading", { name: /went wrong/ }), "the page of the provider").toBeVisible();
    await other.goto(`${url}/tools`);
    await expect(other).toHaveURL(`${url}/sign-in?to=%2Ftools`);
  } finally {
    await idp.stop();
  }
});
