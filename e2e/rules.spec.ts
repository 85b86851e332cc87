import { callApi, mockTool, runTool } from "./support/api";
import { runButton } from "./support/arguments-editor";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { button } from "./support/playground";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const PARAMETERS = {
  type: "object",
  properties: { amount: { type: "number" }, currency: { type: "string" } },
  required: ["amount"],
};

const toolroom = shareToolroom({
  async prepare(url) {
    await callApi(url, "tools.create", { definition: mockTool("pay_invoice", PARAMETERS) });
  },
});

test("a rule is made from a call, shows what it would have done, denies the next call, is a case, and finds it", async ({
  page,
}) => {
  const { url } = toolroom;
  for (const amount of [100, 120, 140]) await runTool(url, "pay_invoice", { amount, currency: "EUR" });
  const { id } = await runTool(url, "pay_invoice", { amount: 900, currency: "EUR" });

  await open(page, `${url}/executions/${id}`);
  await button(page, "Make a rule").click();
  await page.getByRole("menuitem", { name: "Ask for calls like this…" }).click();
  const proposals = page.getByRole("region", { name: "Proposed conditions" });
  await expect(
    proposals.getByRole("button", { name: /amount ≥ 900 would match 1 of 4 calls in 7 days/ }),
  ).toHaveAttribute("aria-pressed", "true");
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.getByText("this rule would have asked for 1 of 4 calls.")).toBeVisible();
  await preview.getByLabel("Calls of").selectOption("A search…");
  await preview.getByLabel("Search arguments, results and errors").fill("140");
  await expect(
    preview.getByText("In calls of 7 days with “140” this rule would have asked for 0 of 1 call."),
  ).toBeVisible();
  await preview.getByLabel("Calls of").selectOption("Last 7 days");
  await page.getByLabel("Operator of condition 1").selectOption("≥");
  await page.getByLabel("Value of condition 1").fill("50");
  await expect(preview.getByText("this rule would have asked for 4 of 4 calls.")).toBeVisible();
  await page.getByLabel("Value of condition 1").fill("500");
  await page.getByLabel("Then").selectOption("Deny");
  await expect(preview.getByText("this rule would have denied 1 of 4 calls.")).toBeVisible();
  await expect(preview.getByRole("list", { name: "Matched calls" }).getByRole("link")).toHaveAttribute(
    "href",
    `/executions/${id}`,
  );
  await page.getByLabel(/^Name/).fill("No large payments");
  await page.getByLabel(/^Reason/).fill("Payments of 500 and more are made by hand");
  await expectAccessible(page);
  await button(page, /^Create rule/).click();

  const row = page.getByRole("row", { name: /No large payments/ });
  await expect(row).toContainText("Denies when pay_invoice is called with amount ≥ 500");
  await expectAccessible(page);

  await open(page, `${url}/tools/pay_invoice`);
  await page.getByLabel("amount", { exact: true }).fill("700");
  await runButton(page).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.locator('[data-status="cancelled"]').first()).toBeVisible();
  await expect(result).toContainText("Payments of 500 and more are made by hand");
  await result.getByRole("link", { name: "Open" }).click();
  const rules = page.getByRole("region", { name: "Rules" });
  await expect(rules).toContainText("Denied by No large payments");
  await expect(rules).toContainText("args.amount700");

  await button(page, "Save as case").click();
  const dialog = page.getByRole("dialog", { name: "Save as case" });
  await expect(dialog.getByLabel("By rule")).toHaveValue("No large payments");
  await dialog.getByLabel(/^Name/).fill("700 is too much");
  await expectAccessible(page);
  await button(dialog, "Save").click();
  await expect(page.getByText("700 is too much saved: passes now")).toBeVisible();

  await open(page, `${url}/approvals/rules`);
  await expect(page.getByText("1 of 1 case pass")).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("link", { name: "No large payments" }).click();
  await page.getByLabel("Value of condition 1").fill("800");
  await expect(page.getByText("1 of 1 case would change, 1 would not pass")).toBeVisible();
  await page.getByRole("link", { name: "All rules" }).click();

  await row.getByRole("link", { name: "1 matched call" }).click();
  await expect(page).toHaveURL(/\/executions\?rule=/);
  await expect(page.locator("[data-execution]")).toHaveCount(1);
  await expect(page.locator("[data-execution]")).toContainText("700");

  await open(page, `${url}/approvals/rules`);
  await page.getByRole("link", { name: "No large payments" }).click();
  await expect(page.getByRole("region", { name: "Results" })).toContainText("It denied 1 call: 1 rejected.");
  await expectAccessible(page);
});
