import { expect, test } from "./support/fixtures";

test("EXE-01 EXE-06 first run to replay: run a sample tool, find it in Executions, replay it with an edit beside the original", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  await page.goto(url);
  await expect(page.getByRole("heading", { name: "Get started" })).toBeVisible();
  await page.getByRole("link", { name: "Run get_weather" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "get_weather" })).toBeVisible();
  await expect(page).toHaveTitle("get_weather · Tools · Toolroom");
  await page.getByLabel("location", { exact: true }).fill("Oslo");
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result).toContainText("sunny");

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByText("done").first()).toBeVisible();
  await page
    .getByRole("link", { name: /^Executions/ })
    .first()
    .click();
  const row = page.getByRole("row").filter({ hasText: "get_weather" });
  await expect(row).toContainText('{ "location": "Oslo" }');
  await row.getByRole("link", { name: /get_weather/ }).click();

  await expect(page).toHaveURL(/\/executions\/exec_/);
  const originalUrl = page.url();
  await page.getByRole("tab", { name: "Edit and replay" }).click();
  await page.getByLabel("location", { exact: true }).fill("Bergen");
  await page.getByRole("button", { name: /^Run again (⌘|Ctrl\+)↵$/ }).click();
  await page
    .getByRole("link", { name: /Compare/ })
    .first()
    .click();

  await expect(page).toHaveURL(/\/compare\?/);
  await expect(page.getByText("Oslo").first()).toBeVisible();
  await expect(page.getByText("Bergen").first()).toBeVisible();

  await page.goto(originalUrl);
  await expect(page.getByRole("tab", { name: /Replays\s*1/ })).toBeVisible();
  await page.goto(url);
  await expect(page.getByRole("heading", { name: "Get started" })).toHaveCount(0);
});

test("REG-03 REG-04 a tool is registered in the browser, refused with reasons while wrong, then run, edited, deleted and brought back", async ({
  page,
  sharedServer: { url },
  allowProblems,
}) => {
  // The console says so itself when a request is refused.
  allowProblems(/status of 409/);
  await page.goto(`${url}/tools/new`);
  await page.getByLabel("Name", { exact: false }).first().fill("echo");
  await page.getByLabel("Description", { exact: false }).first().fill("Finds a customer by name");
  await expect(page.getByText("1 to fix")).toBeVisible();
  await expect(page.getByText(/already taken/)).toHaveCount(0);
  await page.getByRole("button", { name: /^Create tool/ }).click();
  await expect(page.getByText(/'echo' is already taken/)).toHaveCount(1);
  await page.getByLabel("Name", { exact: false }).first().fill("find_customer");
  await expect(page.getByText(/already taken/)).toHaveCount(0);
  await page.getByRole("button", { name: /^Create tool/ }).click();

  await expect(page).toHaveURL(`${url}/tools/find_customer`);
  await page.getByLabel("query", { exact: true }).fill("Ada");
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  await expect(page.getByRole("region", { name: "Result" }).locator('[data-status="succeeded"]')).toBeVisible();

  await page.getByRole("button", { name: "Actions for find_customer" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page).toHaveURL(`${url}/tools`);
  await expect(page.getByRole("link", { name: "find_customer" })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(`${url}/tools/find_customer`);
  await expect(page.getByRole("heading", { level: 1, name: "find_customer" })).toBeVisible();
  await expect(page.getByRole("tab", { name: /History\s*1/ })).toBeVisible();
});
