import type { Page } from "@playwright/test";
import { callApi, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { startOAuthServer } from "./support/mcp-servers/oauth-server.mjs";
import { expectConnection, getServer, open } from "./support/servers";

type OAuthServer = Awaited<ReturnType<typeof startOAuthServer>>;

async function add(url: string, name: string, server: OAuthServer, status = "sign_in_needed"): Promise<void> {
  await callApi(url, "servers.create", {
    settings: { name, transport: "http", url: server.url, auth: { type: "oauth" } },
  });
  await expect.poll(async () => (await getServer(url, name)).state.status).toBe(status);
}

async function signIn(page: Page): Promise<void> {
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Sign in" }).first().click();
}

test("a user signs in to a server, whose tokens are renewed, and grants the scope that a call needs", async ({
  page,
  startServer,
}) => {
  test.setTimeout(120_000);
  const server = await startOAuthServer({ scopesSupported: ["read"], scopeOf: { "tools/call": "write" } });
  const { url } = await startServer();
  await add(url, "steps", server);
  await open(page, `${url}/servers/steps`);
  await signIn(page);
  await expect(page).toHaveURL(`${url}/servers/steps`);
  await expectConnection(page, "connected");

  const refused = await runTool(url, "steps__whoami", {});
  expect(refused.status).toBe("failed");
  expect(JSON.stringify(refused)).toContain("sign_in_needed");
  expect(JSON.stringify(refused)).toContain("the scope 'write'");
  await expectConnection(page, "sign_in_needed");
  await signIn(page);
  await expect(page).toHaveURL(`${url}/servers/steps`);
  await expectConnection(page, "connected");
  expect(await runTool(url, "steps__whoami", {})).toMatchObject({ status: "succeeded" });
  const grants = () =>
    server.authorization.log.flatMap(({ path, grant, status }) => (path === "/token" ? [[grant, status]] : []));
  expect(grants()).toEqual([
    ["authorization_code", 200],
    ["authorization_code", 200],
  ]);
  expect([...server.authorization.access.values()].at(-1)?.scope.split(" ").sort()).toEqual(["read", "write"]);

  server.authorization.expireAccess();
  expect(await runTool(url, "steps__whoami", {})).toMatchObject({ status: "succeeded" });
  expect(grants().at(-1)).toEqual(["refresh_token", 200]);
  await server.close();
});

test("a user reads what to register where a server registers no clients", async ({
  page,
  startServer,
  allowProblems,
}) => {
  test.setTimeout(120_000);
  allowProblems(/status of (?:400|403|502|503)/);
  const server = await startOAuthServer({ registrationStatus: 403 });
  const { url } = await startServer();
  await add(url, "closed", server);
  await open(page, `${url}/servers/closed`);
  await signIn(page);
  const problem = page.getByRole("alert").filter({ hasText: "refused to register Toolroom (403)" });
  await expect(problem).toContainText(`redirect address ${url}/oauth/callback, and enter its Client ID under Edit`);
  await expect(problem.getByRole("button", { name: "Copy redirect address" })).toBeVisible();

  server.behaviour.clients = [{ client_id: "by-hand" }];
  const { settings } = await getServer(url, "closed");
  await callApi(url, "servers.update", {
    name: "closed",
    settings: { ...settings, auth: { type: "oauth", clientId: "by-hand" } },
  });
  await open(page, `${url}/servers/closed`);
  await signIn(page);
  await expect(page).toHaveURL(`${url}/servers/closed`);
  await expectConnection(page, "connected");
  await server.close();
});
