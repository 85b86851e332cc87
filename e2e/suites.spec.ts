import { callApi, mockTool, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { shareToolroom } from "./support/toolroom";

const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const define = (name: string, population: number) => mockTool(name, PARAMETERS, { city: "Oslo", population });
const toolroom = shareToolroom();

test("an execution becomes a test, whose suite passes, and names what differs once the tool was changed", async ({
  page,
}) => {
  const { url } = toolroom;
  await callApi(url, "tools.create", { definition: define("city_facts", 700_000) });
  const { id } = await runTool(url, "city_facts", { city: "Oslo" });
  await page.goto(`${url}/executions/${id}`);
  await page.getByRole("button", { name: "Save as test" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as test" });
  await expect(dialog.getByLabel("Name")).toHaveValue("city_facts Oslo");
  await expect(dialog.getByRole("combobox", { name: "Assertion 1" })).toHaveValue("equals");
  await dialog.getByLabel("Suite").fill("cities");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Open suite" }).click();
  await expect(page.getByRole("heading", { name: "cities" })).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page).toHaveURL(/\/suites\/runs\/test_/);
  await expect(page.getByText("1 of 1 test passed")).toBeVisible();
  await callApi(url, "tools.update", { name: "city_facts", definition: define("city_facts", 720_000) });
  await page.goto(`${url}/suites`);
  await expectAccessible(page);
  await page.getByRole("link", { name: "cities" }).first().click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("0 of 1 test passed, 1 failed")).toBeVisible();
  await page.getByRole("button", { name: "city_facts Oslo", exact: true }).click();
  await expect(page.getByText("population is different")).toBeVisible();
  await expect(page.getByText("720000")).toBeVisible();
  await expectAccessible(page);
});

test("selected executions are replayed against the current tool: same, different, and each compared", async ({
  page,
}) => {
  const { url } = toolroom;
  await callApi(url, "tools.create", { definition: define("town_facts", 700_000) });
  for (const city of ["Oslo", "Bergen"]) await runTool(url, "town_facts", { city });
  await callApi(url, "tools.update", { name: "town_facts", definition: define("town_facts", 720_000) });
  await runTool(url, "town_facts", { city: "Lima" });
  await page.goto(`${url}/executions?tool=town_facts`);
  for (const box of await page.getByRole("row").getByRole("checkbox").all()) await box.check();
  await page.getByRole("button", { name: "Actions" }).click();
  await expect(page.getByRole("menu")).toContainText("3 selected calls");
  await page.getByRole("menuitem", { name: "Replay…" }).click();
  const dialog = page.getByRole("dialog", { name: "Replay against the current tools" });
  await expect(dialog.getByRole("button", { name: "Replay 3 calls" })).toBeEnabled();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Replay 3 calls" }).click();
  await expect(page.getByRole("heading", { name: `Replay: 3 calls of town_facts` })).toBeVisible();
  await expect(page.getByText("1 of 3 same, 2 different")).toBeVisible();
  await page.getByText("Different 2").click();
  await expect(page).toHaveURL(/show=failed/);
  await page.getByRole("link", { name: "Compare" }).first().click();
  await expect(page.getByRole("region", { name: "Result compared" })).toContainText("720000");
});

test("a mock is made of a call that failed, and answers other arguments with its default", async ({ page }) => {
  const { url } = toolroom;
  const { id } = await runTool(url, "calculator", { expression: "2 +" });
  await page.goto(`${url}/executions/${id}`);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("menuitem", { name: "Create a mock" }).click();
  await expect(page.getByLabel("Name")).toHaveValue("calculator_mock");
  await expect(page.getByText("Responses by arguments")).toBeVisible();
  await page.getByLabel("Delay").fill("1-5");
  await expectAccessible(page);
  await page.getByRole("button", { name: /^(Save|Create)/ }).click();
  await expect(page).toHaveURL(/\/tools\/calculator_mock/);
  expect(await runTool(url, "calculator_mock", { expression: "2 +" })).toMatchObject({ status: "failed" });
  expect(await runTool(url, "calculator_mock", { expression: "1" })).toMatchObject({ status: "succeeded" });
});
