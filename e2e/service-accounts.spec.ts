import { callAsOwner, signInPage } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { callCalculator } from "./support/call-calculator";
import { expect, test } from "./support/fixtures";
import { createPurge } from "./support/runs";
import { open } from "./support/servers";

const PASSWORD = "correct horse battery staple";
const SCIM = "urn:ietf:params:scim:schemas:core:2.0";

test("an admin gives a program a service account, whose token calls tools, approves nothing, and ends at once", async ({
  page,
  startServer,
}) => {
  test.setTimeout(90_000);
  const server = await startServer({ env: { TOOLROOM_AUTH: "on" } });
  await signInPage(page, server);
  const { url } = server;
  await open(page, `${url}/settings/people`);
  const card = page.getByRole("region", { name: "Service accounts" });
  await expect(card).toContainText("No service accounts.");
  await card.getByRole("button", { name: "Create" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CI deploy");
  await dialog.getByLabel("Description (optional)").fill("Runs the release checks");
  await dialog.getByLabel("Role").selectOption("operator");
  await expect(dialog.getByLabel("Owner")).toContainText("owner@example.org");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = card.getByRole("row").filter({ hasText: "CI deploy" });
  await expect(row).toContainText("Local owner");

  await row.getByRole("button", { name: "Actions for CI deploy" }).click();
  await page.getByRole("menuitem", { name: "Create API token" }).click();
  await dialog.getByLabel("Name").fill("pipeline");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByRole("heading", { name: "API token created" })).toBeVisible();
  const token = (await page.getByRole("group", { name: "Token", exact: true }).textContent()) ?? "";
  expect(token).toMatch(/^trm_/);
  await dialog.getByRole("button", { name: "Done" }).click();
  await open(page, page.url());
  await expect(row).toContainText("1 API token");
  await expect(page.getByText(token), "it was shown once").toHaveCount(0);

  const call = callCalculator(url);
  expect(await call(token)).toEqual([200, expect.stringContaining("4")]);
  const { items } = await callApi<{ items: { actor: { name: string } }[] }>(
    url,
    "executions.list",
    { filter: {}, limit: 1 },
    "GET",
  );
  expect(items[0]?.actor.name).toBe("CI deploy");

  await createPurge(url, "purge_release");
  const waiting = runTool(url, "purge_release", { folder: "old", keep: 1 });
  const findOpen = async () =>
    (await callApi<{ items: { executionId: string }[] }>(url, "approvals.list", { status: "open" }, "GET")).items[0];
  await expect.poll(findOpen).toBeDefined();
  const { executionId = "" } = (await findOpen()) ?? {};
  const decide = await fetch(`${url}/api/v1/approvals/${executionId}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ approved: true }),
  });
  expect([decide.status, await decide.text()]).toEqual([403, expect.stringMatching(/service account/i)]);
  await callApi(url, "approvals.decide", { executionId, decision: { approved: false } });
  expect((await waiting).status).not.toBe("succeeded");

  await row.getByRole("button", { name: "Actions for CI deploy" }).click();
  await page.getByRole("menuitem", { name: "API tokens…" }).click();
  await dialog.getByRole("button", { name: "Revoke pipeline" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect(dialog.getByText("No API tokens.")).toBeVisible();
  expect((await call(token))[0]).toBe(401);
});

test("an identity provider creates a user and a group over SCIM, which gives a role and a toolset, and ends the access of the user at once", async ({
  page,
  browser,
  startServer,
}) => {
  test.setTimeout(90_000);
  const server = await startServer({ env: { TOOLROOM_AUTH: "on" } });
  await signInPage(page, server);
  const { url } = server;
  await open(page, `${url}/settings/people`);
  const card = page.getByRole("region", { name: "Provisioning (SCIM 2.0)" });
  await card.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  const read = async (label: string): Promise<string> =>
    (await page.getByRole("group", { name: label, exact: true }).textContent()) ?? "";
  const base = await read("Address");
  const secret = await read("Token");
  expect(base).toBe(`${url}/scim/v2`);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).click();

  const scim = async (method: string, target: string, body: object) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/scim+json" };
    const response = await fetch(`${base}${target}`, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { id: string } };
  };
  const emails = [{ value: "sam@example.org", primary: true }];
  const user = await scim("POST", "/Users", {
    schemas: [`${SCIM}:User`],
    userName: "sam@example.org",
    displayName: "Sam Support",
    emails,
    active: true,
  });
  const group = await scim("POST", "/Groups", {
    schemas: [`${SCIM}:Group`],
    displayName: "Support",
    members: [{ value: user.body.id }],
  });
  expect([user.status, group.status]).toEqual([201, 201]);

  await open(page, page.url());
  await expect(card).toContainText("1 user, 1 group");
  const role = page.getByLabel("Role of Sam Support");
  await expect(role).toHaveValue("viewer");
  await card.getByRole("button", { name: "Add group" }).click();
  await expect(
    card.getByRole("combobox", { name: "Group", exact: true }),
    "the group without a role is suggested",
  ).toHaveValue("Support");
  await card.getByLabel("Role of Support").selectOption("editor");
  await card.getByRole("button", { name: "Save roles" }).click();
  await expect(page.getByText("Roles of groups saved")).toBeVisible();
  await expect(role).toHaveValue("editor");
  await expectAccessible(page);

  const reset = await callAsOwner<string>(url, "people.createReset", { id: user.body.id });
  const sam = await (await browser.newContext()).newPage();
  await sam.goto(`${url}/join#${reset}`);
  await sam.getByLabel("New password", { exact: true }).fill(PASSWORD);
  await sam.keyboard.press("Enter");
  await expect(sam.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const token = await sam.evaluate(async () => {
    const json = { name: "sam", scopes: ["run"], tools: null, servers: null, validDays: 1 };
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ json }) };
    const answer = await (await fetch("/api/trpc/tokens.create", init)).json();
    return answer.result.data.json.text as string;
  });
  const call = callCalculator(url);
  expect((await call(token))[0]).toBe(200);

  const selection = { name: "desk", tools: ["calculator"], patterns: [], servers: [], overrides: [] };
  await callAsOwner(url, "toolsets.create", selection);
  await open(page, page.url());
  const rights = card.getByRole("group", { name: "Rights of Support" });
  await rights.getByRole("button", { name: "Toolsets" }).click();
  await page.getByRole("checkbox", { name: "desk" }).check();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: "Save roles" }).click();
  await expect(rights.getByRole("button", { name: "Toolsets desk" })).toBeVisible();
  await expect
    .poll(() => call(token), "the token reaches the toolset alone")
    .toEqual([403, expect.stringContaining("/mcp/sets/desk")]);
  expect(await callCalculator(url, "/mcp/sets/desk")(token)).toEqual([200, expect.stringContaining("4")]);

  await open(sam, `${url}/executions`);
  const off = { Operations: [{ op: "replace", value: { active: false } }] };
  expect((await scim("PATCH", `/Users/${user.body.id}`, off)).status).toBe(200);
  expect((await call(token))[0]).toBe(401);
  await expect(sam, "an open page follows").toHaveURL(`${url}/sign-in?to=%2Fexecutions`);
  await open(page, page.url());
  await expect(page.getByRole("row").filter({ hasText: "Sam Support" })).toContainText("Switched off");
});
