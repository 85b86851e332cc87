import {
  code,
  editAs,
  expectSent,
  input,
  openTool,
  press,
  requestBody,
  run,
  runButton,
  runBy,
} from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";

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
