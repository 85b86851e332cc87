import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { addServer, EVERYTHING, open, tab } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("a server is tested from its page: its failures, the same ones again, and the earlier run", async ({ page }) => {
  await addServer(toolroom.url, EVERYTHING);
  await open(page, `${toolroom.url}/servers/everything`);
  await tab(page, "Conformance").click();
  await expect(page.getByRole("heading", { name: "No runs yet" })).toBeVisible();
  await page.getByRole("combobox", { name: "Checks" }).selectOption("own");
  await page.getByRole("button", { name: "Run checks" }).click();

  const results = page.getByRole("region", { name: "Results" });
  await expect(results.getByText("An unknown method is answered with -32601")).toBeVisible({ timeout: 30_000 });
  await results.getByRole("radio", { name: /^Failed \d/ }).check();
  await expect(results.getByText("json-rpc/invalid-params")).toBeVisible();
  await expect(results.getByText("json-rpc/unknown-method")).toBeHidden();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Run checks" }).click();
  await expect(results.getByText("Same failures as in the run before")).toBeVisible({ timeout: 30_000 });
  await expect(page).toHaveURL(/outcome=failed/);
  await expect(page.getByRole("combobox", { name: "Run", exact: true }).getByRole("option")).toHaveCount(2);
});
