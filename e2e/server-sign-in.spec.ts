import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
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

test("an admin names the file of a workload's token, whose next content is the next sign-in", async ({
  page,
  startServer,
}) => {
  test.setTimeout(60_000);
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-workload-"));
  const file = path.join(folder, "token");
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const seen: string[] = [];
  const server = await startOAuthServer({ checkWorkload: (token) => seen.push(token) > 0 });
  const aud = server.authorization.issuer;
  const sign = (sub: string): string =>
    `${encode({ alg: "RS256" })}.${encode({ sub, aud, exp: 4_000_000_000 })}.c2lnbmVk`;
  const { url } = await startServer();
  await open(page, `${url}/servers/new`);
  await page.getByRole("textbox", { name: "Name required" }).fill("workload");
  await page.getByRole("radio", { name: "Streamable HTTP" }).click();
  await page.getByRole("textbox", { name: "Address required" }).fill(server.url);
  await page.getByRole("radio", { name: "Workload identity" }).click();
  await page.getByRole("textbox", { name: "Token file required" }).fill(file);
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Add and connect/ }).click();
  await expectConnection(page, "disconnected");
  await expect(page.getByText(`${file} cannot be read (ENOENT)`).first()).toBeVisible();

  await writeFile(file, sign("first"));
  await page.getByRole("button", { name: "Reconnect" }).first().click();
  await expectConnection(page, "connected");
  await expect.poll(() => runTool(url, "workload__whoami", {})).toMatchObject({ status: "succeeded" });
  await writeFile(file, sign("second"));
  server.authorization.expireAccess();
  expect(await runTool(url, "workload__whoami", {})).toMatchObject({ status: "succeeded" });
  expect(seen).toEqual([sign("first"), sign("second")]);
  await expect(page.getByText("c2lnbmVk"), "no part of a token is shown").toHaveCount(0);
  await server.close();
  await rm(folder, { recursive: true });
});
