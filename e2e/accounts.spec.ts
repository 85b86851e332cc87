import type { Browser, Page } from "@playwright/test";
import { callAsOwner, signInPage } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { open, scripted, toolLink } from "./support/servers";

const PASSWORD = "correct horse battery staple";

/** Another user's browser. */
async function openBrowser(browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  return context.newPage();
}

async function join(page: Page, link: string, fields: Record<string, string>): Promise<void> {
  await page.goto(link);
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
}

/** Status of a call that a user's page makes, with its cookie. */
function runEcho(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const body = JSON.stringify({ json: { name: "echo", argumentsText: "{}" } });
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/trpc/executions.run", { method: "POST", headers, body })).status;
  });
}

async function createToken(page: Page, name: string): Promise<void> {
  const input = { name, scopes: ["read"], tools: null, servers: null, validDays: 1 };
  const status = await page.evaluate(async (json) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ json }) };
    return (await fetch("/api/trpc/tokens.create", init)).status;
  }, input);
  expect(status).toBe(200);
}

async function readOnce(page: Page, label: string): Promise<string> {
  return (await page.getByRole("group", { name: label, exact: true }).textContent()) ?? "";
}

test("users join by link, may do what their role allows, use tokens until these are revoked, and sign out", async ({
  page,
  browser,
  startServer,
  allowProblems,
}) => {
  test.setTimeout(120_000);
  allowProblems(/status of 40[13]/);
  const { url, output } = await startServer({ env: { TOOLROOM_AUTH: "on" } });
  const findSetup = () => /(\S+\/join#\S+)\n/.exec(output())?.[1] ?? "";
  await expect.poll(findSetup).toContain(`${url}/join#`);
  const setup = findSetup();

  await page.goto(`${url}/tools`);
  await expect(page).toHaveURL(`${url}/sign-in?to=%2Ftools`);
  await expectAccessible(page);
  await page.goto(setup);
  await expect(page.getByRole("heading", { name: "Create the first account" })).toBeVisible();
  await expect(page, "the token is taken out of the address").toHaveURL(`${url}/join`);
  await expectAccessible(page);
  await join(page, setup, { Name: "Olivia Owner", "E-mail": "olivia@example.org" });

  await open(page, `${url}/settings/people`);
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByLabel("E-mail (optional)").fill("victor@example.org");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const invitation = await readOnce(page, "Link");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("button", { name: "Withdraw the invitation for victor@example.org" })).toBeVisible();

  const viewer = await openBrowser(browser);
  await join(viewer, invitation, { Name: "Victor Viewer" });
  expect(await runEcho(viewer), "a viewer runs nothing").toBe(403);
  await viewer.goto(`${url}/settings/people`);
  await expect(viewer.getByText("Only admins can manage people")).toBeVisible();
  await expect(viewer.getByText("olivia@example.org")).toHaveCount(0);
  await viewer.goto(`${url}/join`);
  await expect(viewer.getByRole("heading", { name: "The link is incomplete" })).toBeVisible();
  await viewer.goto(invitation);
  await expect(viewer.getByRole("heading", { name: "This link can't be used" })).toBeVisible();

  await open(viewer, `${url}/tools/echo`);
  const run = viewer.getByRole("button", { name: /^Run / });
  await expect(run).toHaveAttribute("aria-disabled", "true");
  await open(page, page.url());
  await page.getByLabel("Role of Victor Viewer").selectOption("operator");
  await expect(page.getByText("Victor Viewer is now operator")).toBeVisible();
  await expectAccessible(page);
  await expect(run, "an open page follows the new role").not.toHaveAttribute("aria-disabled", "true");
  expect(await runEcho(viewer), "an operator runs tools").toBe(200);

  await open(viewer, `${url}/executions`);
  await expect(viewer.getByRole("row").filter({ hasText: "echo" })).toBeVisible();
  await page.getByRole("button", { name: "Actions for Victor Viewer" }).click();
  await page.getByRole("menuitem", { name: "End sessions" }).click();
  await expect(page.getByText("Victor Viewer is signed out everywhere")).toBeVisible();
  await expect(viewer, "an open page follows the end of its session").toHaveURL(`${url}/sign-in?to=%2Fexecutions`);
  await expect(viewer.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await expect(viewer.getByRole("navigation"), "nothing of the console is left").toHaveCount(0);
  await expect(viewer.getByRole("button", { name: "Sign in" })).toBeEnabled();
  await viewer.getByLabel("E-mail").fill("victor@example.org");
  await viewer.getByLabel("Password").fill("not the password");
  await viewer.keyboard.press("Enter");
  await expect(viewer.getByRole("alert").filter({ hasText: "is wrong" })).toBeVisible();
  await viewer.getByLabel("Password").fill(PASSWORD);
  await viewer.keyboard.press("Enter");
  await expect(viewer).toHaveURL(`${url}/executions`);

  await createToken(viewer, "victors-ci");
  await open(page, `${url}/settings/people`);
  await page.getByRole("button", { name: "Actions for Victor Viewer" }).click();
  await page.getByRole("menuitem", { name: "API tokens…" }).click();
  await expect(dialog.getByRole("list", { name: "API tokens" })).toContainText("victors-ci");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Revoke victors-ci" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog.getByText("No API tokens.")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await createToken(viewer, "victors-second");
  await page.getByRole("button", { name: "Actions for Victor Viewer" }).click();
  await page.getByRole("menuitem", { name: "Create reset link" }).click();
  await expect(dialog.getByText("1 API token of Victor Viewer keeps working")).toBeVisible();
  await expectAccessible(page);
  const reset = await readOnce(page, "Link");
  await dialog.getByRole("button", { name: "Done" }).click();
  const resetting = await openBrowser(browser);
  await resetting.goto(reset);
  await resetting.getByLabel("New password", { exact: true }).fill(PASSWORD);
  await resetting.getByRole("checkbox", { name: "Also revoke your 1 API token" }).check();
  await expectAccessible(resetting);
  await resetting.keyboard.press("Enter");
  await expect(resetting.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await open(resetting, `${url}/settings/account`);
  await expect(resetting.getByText("No API tokens yet.")).toBeVisible();
  await resetting.getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(resetting).toHaveURL(`${url}/sign-in?to=%2Fsettings%2Faccount`);

  await open(page, `${url}/settings/account`);
  await page.getByRole("button", { name: "Create token" }).click();
  await dialog.getByLabel("Name").fill("ci");
  await dialog.getByRole("button", { name: "Tools", exact: true }).click();
  await page.getByRole("checkbox", { name: "echo" }).check();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByRole("heading", { name: "API token created" })).toBeVisible();
  await expectAccessible(page);
  const token = await readOnce(page, "Token");
  await dialog.getByRole("button", { name: "Done" }).click();
  const callWithToken = async (tool: string): Promise<number> => {
    const body = JSON.stringify({ json: { name: tool, argumentsText: "{}" } });
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api/trpc/executions.run`, { method: "POST", headers, body })).status;
  };
  expect(await callWithToken("echo")).toBe(200);
  expect(await callWithToken("clock"), "beyond the token's limit").toBe(403);
  await open(page, page.url());
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revoke ci" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("No API tokens yet.")).toBeVisible();
  expect(await callWithToken("echo")).toBe(401);

  await page.getByRole("button", { name: "Account: Olivia Owner" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(`${url}/sign-in`);
  await page.goto(`${url}/executions`);
  await expect(page).toHaveURL(`${url}/sign-in?to=%2Fexecutions`);
});

test("each user calls a server with a credential of their own, and the audit log shows who did what without a value", async ({
  page,
  browser,
  startServer,
}) => {
  test.setTimeout(90_000);
  const server = await startServer({ env: { TOOLROOM_AUTH: "on" } });
  await signInPage(page, server);
  const { url } = server;
  const credentials = { mode: "personal", slots: [{ name: "API_TOKEN", label: "Token" }, { name: "SERVER_NAME" }] };
  await callApi(url, "servers.create", { settings: { ...scripted("echo"), credentials } });
  const invitation = { role: "operator", email: "opal@example.org", validDays: 1 };
  const token = await callAsOwner<string>(url, "people.invite", invitation);
  const opal = await openBrowser(browser);
  await join(opal, `${url}/join#${token}`, { Name: "Opal Operator" });

  await open(opal, `${url}/servers/echo`);
  const own = opal.getByRole("region", { name: "Your connection" });
  await expect(own.getByRole("button", { name: "Connect" })).toBeDisabled();
  await own.getByLabel(/^Token/).fill("opals-own-secret");
  await own.getByLabel("SERVER_NAME").fill("opal");
  await own.getByRole("button", { name: "Connect" }).click();
  await expect(own.getByText("Connected", { exact: true })).toBeVisible();
  await expectAccessible(opal, { colors: false });
  // Its tools come a moment after the connection, and lists follow.
  await open(opal, `${url}/tools`);
  await toolLink(opal, "echo__who").click();
  await opal.getByRole("button", { name: /^Run / }).click();
  await expect(opal.getByRole("region", { name: "Result" })).toContainText("opal");
  await expect.poll(() => runTool(url, "echo__who", {})).toMatchObject({ errorKind: "sign_in_needed" });

  await open(page, `${url}/settings/audit`);
  const entry = page.getByRole("row").filter({ hasText: "Opal Operator" }).filter({ hasText: "Save credential" });
  await expect(entry).toContainText("echo");
  await entry.getByRole("button").first().click();
  await expect(page.getByText("opal@example.org").filter({ visible: true }).first()).toBeVisible();
  await expectAccessible(page);
  const downloaded = page.waitForEvent("download");
  await page.getByRole("link", { name: /JSON Lines/ }).click();
  const log = await (await (await downloaded).createReadStream()).toArray();
  const exported = Buffer.concat(log).toString();
  expect(exported).toContain('"servers.create"');
  expect(exported).not.toContain("opals-own-secret");
});
