import type { Page } from "@playwright/test";
import { freePort } from "../src/lib/free-port.test-support";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { startOAuthServer } from "./support/mcp-servers/oauth-server.mjs";
import { CLIENT, openIdProvider } from "./support/openid-provider";
import { open } from "./support/servers";

const PASSWORD = "correct horse battery staple";
const PROVIDER = "Example ID";
const NAMES = ["files", "mail", "wiki"];
/** Toolroom at the authorization server of each MCP server. */
const AT_SERVER = { client_id: "toolroom-there", client_secret: "secret-there" };

/** Calls a procedure as the user whose page it is. */
function ask<T>(page: Page, procedure: string, input: object): Promise<T> {
  return page.evaluate(
    async ([name, json]) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ json }) };
      const response = await fetch(`/api/trpc/${name}`, init);
      const { result, error } = await response.json();
      if (result === undefined) throw new Error(`${name} answered ${response.status}: ${JSON.stringify(error)}`);
      return result.data.json;
    },
    [procedure, input] as const,
  );
}

interface Called {
  status: string;
  error: string | null;
}
const call = (page: Page, server: string): Promise<Called> =>
  ask<Called>(page, "executions.run", { name: `${server}__whoami`, argumentsText: "{}" });

test("one sign-in at the identity provider lets a user in to three servers, until the provider revokes it", async ({
  page,
  browser,
  startServer,
  allowProblems,
}) => {
  test.setTimeout(120_000);
  allowProblems(/status of 40[13]/);
  const provider = await openIdProvider();
  const servers = await Promise.all(
    NAMES.map(async () => {
      const server = await startOAuthServer({
        clients: [AT_SERVER],
        checkAssertion: async (assertion) => {
          const { aud, resource, sub } = await provider.check(assertion);
          return aud === server.issuer && resource === server.url ? (sub ?? null) : null;
        },
      });
      return server;
    }),
  );
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const { url, output } = await startServer({
    port,
    env: {
      TOOLROOM_AUTH: "on",
      TOOLROOM_PUBLIC_URL: address,
      TOOLROOM_PRIVATE_ADDRESSES: "allow",
      TOOLROOM_OIDC_ISSUER: provider.issuer,
      TOOLROOM_OIDC_CLIENT_ID: CLIENT.id,
      TOOLROOM_OIDC_CLIENT_SECRET: CLIENT.secret,
      TOOLROOM_OIDC_NAME: PROVIDER,
      TOOLROOM_OIDC_DEFAULT_ROLE: "operator",
    },
  });

  // The admin has a password, and adds servers that the provider lets users in to.
  const findSetup = () => /(\S+\/join#\S+)\n/.exec(output())?.[1] ?? "";
  await expect.poll(findSetup).toContain("/join#");
  await page.goto(findSetup());
  for (const [label, value] of Object.entries({ Name: "Olivia Owner", "E-mail": "olivia@example.org" })) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const [files, ...others] = servers;
  await open(page, `${url}/servers/new`);
  const form = page.getByRole("form", { name: "New server" });
  const fill = (label: string, value: string) =>
    form.getByRole("textbox", { name: new RegExp(`^${label}( required)?$`) }).fill(value, { timeout: 10_000 });
  await form.getByRole("radio", { name: "Streamable HTTP" }).check();
  await fill("Name", "files");
  await fill("Address", files?.url ?? "");
  await form.getByRole("radio", { name: "Identity provider" }).check();
  await fill("Client ID", AT_SERVER.client_id);
  await fill("Client secret", AT_SERVER.client_secret);
  await expect(form.getByRole("radio", { name: "Personal", exact: true })).toBeChecked();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Add and connect" }).click();
  await expect(page).toHaveURL(`${url}/servers/files`);
  for (const [at, server] of others.entries()) {
    const auth = {
      type: "cross_app_access",
      clientId: AT_SERVER.client_id,
      clientSecret: AT_SERVER.client_secret,
    };
    const settings = {
      name: NAMES[at + 1],
      transport: "http",
      url: server.url,
      auth,
      credentials: { mode: "personal" },
    };
    await ask(page, "servers.create", { settings });
  }
  await expect(page.getByText(`Sign in with ${PROVIDER} to call this server's tools.`)).toBeVisible();

  // A user signs in once, at the provider.
  const context = await browser.newContext();
  const user = await context.newPage();
  await user.goto(`${url}/sign-in`);
  await user.getByRole("button", { name: `Sign in with ${PROVIDER}` }).click();
  await expect(user.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const visited: string[] = [];
  user.on("framenavigated", (frame) => visited.push(new URL(frame.url()).origin));
  for (const name of NAMES) {
    await open(user, `${url}/servers/${name}`);
    const own = user.getByRole("region", { name: "Your connection" });
    await expect(own).toContainText(`Ready${PROVIDER} lets you in when you call a tool.`);
    await own.getByRole("button", { name: "Test" }).click();
    await expect(user.getByText(`Connected to ${name}`)).toBeVisible();
    await expect.poll(() => call(user, name).then(({ status }) => status)).toBe("succeeded");
  }
  await expectAccessible(user);
  expect(new Set(visited), "no page of the provider or of a server").toEqual(new Set([url]));
  expect(provider.state.requests.filter((request) => request === "GET /authorize")).toHaveLength(1);
  for (const server of servers) {
    expect(server.authorization.log.map(({ path }) => path)).not.toContain("/authorize");
    expect(server.mcpCalls.at(-1)?.user).toBe("1");
  }

  // The provider revokes the user: the next call that needs a token is refused, at each server.
  provider.state.revoked.add("1");
  for (const [at, server] of servers.entries()) {
    server.authorization.expireAccess();
    const refused = await call(user, NAMES[at] ?? "");
    expect(refused.status).toBe("failed");
    expect(refused.error).toContain(`${PROVIDER} gave no access to this server`);
  }
  provider.state.revoked.clear();
  expect(await call(user, "files")).toMatchObject({ status: "succeeded" });
  await context.close();
  for (const server of servers) await server.close();
  await provider.stop();
});
