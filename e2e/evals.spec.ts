import type { EvalRunSummary } from "../src/lib/contract/eval";
import { callApi } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { button } from "./support/playground";
import { startRun, whenRun } from "./support/runs";
import { open } from "./support/servers";

test("AGT-12 a decision of a run becomes an eval, is run directly and by discovery, and the runs are compared", async ({
  page,
  sharedServer: { url },
}) => {
  const run = await startRun(url, "what is 12*7");
  await whenRun(url, run, "succeeded");
  // Addresses of before lead to the pages of now.
  await open(page, `${url}/evals/candidates`);
  await expect(page).toHaveURL(/\/suites\?type=evals/);
  await button(page, "New suite").click();
  const created = page.getByRole("dialog", { name: "New suite" });
  await created.getByRole("radio", { name: "Evals" }).check({ force: true });
  await created.getByLabel("Name").fill("sums");
  await button(created, "Create").click();
  await page.getByRole("tab", { name: "Candidates" }).click();
  const candidate = page.getByRole("listitem").filter({ hasText: "what is 12*7" }).first();
  await expect(candidate).toContainText("called calculator");
  await button(candidate, "Make eval…").click();
  const dialog = page.getByRole("dialog", { name: "Add eval" });
  await expect(dialog.getByLabel("Suite")).toHaveValue("sums");
  // A question must not name the tool.
  await dialog.getByLabel("Question").fill("Call the calculator tool");
  await button(dialog, "Add").click();
  await expect(dialog).toContainText("names 'calculator', so choosing it tests nothing");
  await dialog.getByLabel("Question").fill("What is 12*7?");
  await button(dialog, "Add").click();
  await expect(dialog).toHaveCount(0);

  await open(page, `${url}/evals/suites/sums`);
  await expect(page).toHaveURL(/\/suites\/sums$/);
  await expect(page.getByRole("main")).toContainText("expects calculator");
  await expectAccessible(page);
  await button(page, "Run with a model").click();
  const start = page.getByRole("dialog", { name: "Run sums" });
  await start.getByLabel("Provider").selectOption("demo");
  await start.getByRole("combobox", { name: "Models" }).fill("demo");
  await start.getByLabel("Rounds").fill("2");
  await start.getByRole("radio", { name: "Both" }).check({ force: true });
  await expect(start).toContainText("1 eval × 2 × 2 = 4 attempts.");
  await button(start, "Start run").click();
  await expect(start).toHaveCount(0);
  const runs = page.getByRole("table", { name: "Runs" });
  await expect(runs.locator('[data-status="succeeded"]')).toHaveCount(2);
  await expect(runs).toContainText("2 / 2");
  // The demo model does not search.
  await expect(runs).toContainText("0 / 2");
  const executions = await callApi<{ items: EvalRunSummary[] }>(url, "suites.runs", { suite: "sums" }, "GET");
  expect(executions.items).toHaveLength(2);
  for (const box of await runs.getByRole("checkbox").all()) await box.check({ force: true });
  // The address is written last, and would take back a navigation that began before.
  await expect(page).toHaveURL(/chosen=[^&]+,/);
  await page.getByRole("link", { name: "Compare" }).click();
  await expect(page.getByRole("table", { name: "Evals" })).toContainText("What is 12*7?");
  await expectAccessible(page);
});

test("AGT-12 an edit of a description says before it is saved which tools it makes hard to tell apart", async ({
  page,
  sharedServer: { url },
}) => {
  const tool = (name: string, description: string) => ({
    name,
    description,
    type: "function",
    handler: name,
    implementation: { type: "mock", mock_response: 1 },
    parameters: { type: "object", properties: {} },
  });
  for (const each of [
    tool("find_parcel", "Says where a parcel is"),
    tool("weigh_letter", "Says what a letter weighs"),
  ]) {
    await callApi(url, "tools.create", { definition: JSON.stringify(each) });
  }
  const question = { suite: "post", question: "Where is the parcel of Ada?", expected: ["find_parcel"] };
  await callApi(url, "suites.addEval", question);
  await open(page, `${url}/tools/new?edit=weigh_letter`);
  await page
    .getByRole("textbox", { name: "Description" })
    .fill("Says where a parcel is, or where the parcel of a person is");
  const test = page.getByRole("region", { name: "Evals" });
  await expect(button(test, "Run post with this edit…")).toBeVisible();
  await expectAccessible(page);
  await button(test, "Run post with this edit…").click();
  const start = page.getByRole("dialog", { name: "Run post" });
  await start.getByLabel("Provider").selectOption("demo");
  await start.getByRole("combobox", { name: "Models" }).fill("demo");
  await start.getByLabel("Rounds").fill("1");
  await button(start, "Start run").click();
  await expect(test).toContainText("never run as saved");
});
