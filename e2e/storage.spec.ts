import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("an admin sees what a retention rule deletes before it is saved, and the result of the sweep", async ({
  page,
}) => {
  const { url } = toolroom;
  for (const location of ["Oslo", "Rome", "Lima"]) await runTool(url, "get_weather", { location });
  const pinned = await runTool(url, "get_weather", { location: "Bern" });
  await callApi(url, "executions.setPinned", { id: pinned.id, pinned: true });
  await page.goto(`${url}/settings/storage`);
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByLabel("Applies to of rule 1").selectOption("Tool");
  await page.getByRole("button", { name: "Review and save…" }).click();
  await expect(page.getByText("Name the tool that the rule is about")).toBeVisible();
  await page.getByLabel("Tool of rule 1").fill("get_weather");
  await page.getByLabel("Older than (days) of rule 1").fill("");
  await page.getByLabel("Keep at most (calls) of rule 1").fill("1");
  await page.getByRole("button", { name: "Review and save…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save these rules?" });
  await expect(dialog.getByRole("table")).toContainText("Tool get_weather");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: /^Save and delete 2 calls/ }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("table", { name: "Sweeps" })).toContainText("2");
  const { items } = await callApi<{ items: { id: string }[] }>(url, "executions.list", {}, "GET");
  expect(items).toHaveLength(2);
  expect(items.map(({ id }) => id)).toContain(pinned.id);
});

test("an admin backs up the database by a button, and deletes the copy", async ({ page }) => {
  const { url } = toolroom;
  await page.goto(`${url}/settings/storage`);
  await page.getByRole("button", { name: "Back up now" }).click();
  const copies = page.getByRole("table", { name: "Copies of the database" });
  await expect(copies).toContainText("beside it");
  await copies.getByRole("button", { name: /^Delete toolroom-/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No backups yet.")).toBeVisible();
});

test("an admin runs a job of the background now", async ({ page }) => {
  const { url } = toolroom;
  await page.goto(`${url}/settings/storage`);
  const row = page.getByRole("row", { name: /Sign execution log/ });
  await row.getByRole("button", { name: "Run now: Sign execution log" }).click();
  await expect(row).toContainText(/now|ago/);
});
