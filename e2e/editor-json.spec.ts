import {
  code,
  editAs,
  expectSent,
  field,
  input,
  openTool,
  press,
  requestBody,
  run,
  runButton,
  runBy,
} from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";

test("VAL-04 RTE-03 keys the schema does not know are kept through form and JSON, and arrive", async ({
  page,
  baseURL,
}) => {
  const parameters = { properties: { city: { type: "string" } }, additionalProperties: false };
  await openTool(page, baseURL, "editor_extra", parameters);
  await editAs(page, "JSON");
  await code(page).fill('{"more": {"deep": [1, null]}, "city": "Oslo"}');
  await editAs(page, "Form");
  await expect(field(page, "/more").getByText("extra", { exact: true })).toBeVisible();
  await input(page, "city").fill("Bergen");
  await editAs(page, "JSON");
  await expect(code(page)).toContainText('"more"');
  await editAs(page, "Form");
  expect(await run(page, baseURL)).toEqual({ more: { deep: [1, null] }, city: "Bergen" });
});

test("RTE-03 broken JSON keeps JSON mode with line and column, blocks Run with the reason, and works once fixed", async ({
  page,
  baseURL,
}) => {
  await openTool(page, baseURL, "editor_broken", { properties: { a: { type: "integer" } } });
  await editAs(page, "JSON");
  await code(page).fill('{\n  "a": 1\n  "b": 2\n}');
  await page.getByRole("radio", { name: "Form", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Fix the JSON before switching" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Line 3, column 3/ })).toBeVisible();
  await expect(page.getByRole("radio", { name: "JSON", exact: true })).toBeChecked();
  await expect(runButton(page)).toHaveAttribute("aria-disabled", "true");
  await expect(runButton(page)).toHaveAccessibleDescription(/Line 3, column 3/);
  await page.keyboard.press("Control+Enter");
  await runButton(page).click({ force: true });
  await expect(page.getByRole("region", { name: "Result" }).locator('[data-status="idle"]')).toBeVisible();
  await code(page).fill('{\n  "a": 1,\n  "b": 2\n}');
  expect(await run(page, baseURL)).toEqual({ a: 1, b: 2 });
  await editAs(page, "Form");
  await expect(input(page, "a")).toHaveValue("1");
});

test("RTE-03 a pasted object fills the form, and undo brings back what was there", async ({
  page,
  context,
  baseURL,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openTool(page, baseURL, "editor_paste", { properties: { city: { type: "string" } } });
  await input(page, "city").fill("Oslo");
  await page.evaluate(() => navigator.clipboard.writeText('{"city": "Bergen", "days": 3}'));
  await page.getByRole("region", { name: "Arguments form" }).focus();
  await page.keyboard.press("Control+V");
  await expectSent(page, { city: "Bergen", days: 3 });
  await expect(input(page, "city")).toHaveValue("Bergen");
  await press(page, "Undo");
  expect(await run(page, baseURL)).toEqual({ city: "Oslo" });
  await input(page, "city").fill("");
  await page.keyboard.press("Control+V");
  await expect(input(page, "city")).toHaveValue('{"city": "Bergen", "days": 3}');
  await press(page, "Use as arguments");
  expect(await run(page, baseURL)).toEqual({ city: "Bergen", days: 3 });
});

test("RTE-03 the order of keys survives form and JSON", async ({ page, baseURL }) => {
  await openTool(page, baseURL, "editor_order", {
    properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "object", properties: {} } },
  });
  await editAs(page, "JSON");
  await code(page).fill('{"c": {"z": 1, "y": 2}, "extra": true, "b": "2", "a": "1"}');
  await editAs(page, "Form");
  await input(page, "b").fill("two");
  await editAs(page, "JSON");
  await editAs(page, "Form");
  expect(JSON.stringify(await run(page, baseURL))).toBe('{"c":{"z":1,"y":2},"extra":true,"b":"two","a":"1"}');
});

test("VAL-02 numbers that JavaScript cannot hold are warned about before they are sent", async ({ page, baseURL }) => {
  await openTool(page, baseURL, "editor_numbers", { properties: { id: { type: "integer" } } });
  await input(page, "id").fill("12345678901234567890");
  await expect(field(page, "/id")).toContainText("sent as 12345678901234567000");
  await editAs(page, "JSON");
  await code(page).fill('{"id": 90071992547409931}');
  await expect(page.getByRole("list", { name: "Problems in the JSON" })).toContainText(
    "Line 1, column 8: 90071992547409931 reaches the tool as 90071992547409940",
  );
  await expect(requestBody(page)).toHaveText('{"id": 90071992547409931}');
  expect(await run(page, baseURL)).toEqual({ id: 90071992547409940 });
});

test("EXE-06 Ctrl+Enter runs from the form and from JSON, and the execution has the arguments that were shown", async ({
  page,
  baseURL,
}) => {
  await openTool(page, baseURL, "editor_shortcut", { properties: { text: { type: "string" } } });
  const text = 'Ærøskøbing "quoted" \\ 漢字 🎈';
  await input(page, "text").fill(text);
  expect(await runBy(page, baseURL, () => page.keyboard.press("Control+Enter"))).toEqual({ text });
  await editAs(page, "JSON");
  const typed = '{"text": "from JSON",\n   "list":[1, -0.50, 1e3, {"a": null}] }';
  await code(page).fill(typed);
  await expectSent(page, { text: "from JSON", list: [1, -0.5, 1000, { a: null }] });
  expect(await requestBody(page).textContent()).toBe(typed);
  await code(page).focus();
  expect(await runBy(page, baseURL, () => page.keyboard.press("Control+Enter"))).toEqual({
    text: "from JSON",
    list: [1, -0.5, 1000, { a: null }],
  });
});
