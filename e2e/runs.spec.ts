import { expect, test } from "./support/fixtures";
import { button, expectStatus, locateCall, turn } from "./support/playground";
import { listExecutions, startRun, whenRun } from "./support/runs";
import { open } from "./support/servers";

test("AGT-08 a run is repeated from a step with the recorded results: nothing is executed, and both know each other", async ({
  page,
  sharedServer: { url },
}) => {
  const parent = await startRun(url, 'echo {"message":"first"} and what is 12*7');
  await whenRun(url, parent, "succeeded");
  await open(page, `${url}/runs/${parent}`);
  await page.getByRole("button", { name: "Step 1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rerun from here…" }).click();
  const dialog = page.getByRole("dialog", { name: "Rerun from step 1" });
  await expect(dialog.getByRole("radio", { name: /^Use the recorded results/ })).toBeChecked();
  await button(dialog, "Start").click();
  await expect(page).not.toHaveURL(new RegExp(parent));
  await expect(page).toHaveURL(/\/runs\/run_/);
  const child = page.url().split("/").at(-1) ?? "";
  await expect(dialog).toHaveCount(0);
  await expectStatus(turn(page, 1), "succeeded");
  for (const tool of ["echo", "calculator"]) {
    await expect(locateCall(turn(page, 1), tool).getByText("recorded", { exact: true })).toBeVisible();
  }
  await expect(turn(page, 1)).toContainText("84");
  expect(await listExecutions(url, child)).toEqual([]);

  await page.getByRole("link", { name: "Compare with original" }).click();
  await expect(page.getByText("No differences")).toBeVisible();
  await page.getByRole("region", { name: "Right run" }).getByRole("link", { name: /echo/ }).first().click();
  await expect(page).toHaveURL(`${url}/runs/${child}`);

  const header = page.getByRole("main");
  await expect(header).toContainText(`Rerun of ${parent} from step 1`);
  await header.getByRole("link", { name: parent }).click();
  await expect(page).toHaveURL(`${url}/runs/${parent}`);
  await expect(header).toContainText(`Reruns: ${child} (step 1)`);
  expect(await listExecutions(url, parent)).toHaveLength(2);

  // With live results the tools run anew, in a third run.
  await page.getByRole("button", { name: "Step 1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rerun from here…" }).click();
  await dialog.getByRole("radio", { name: /^Call the tools again/ }).check();
  await button(dialog, "Start").click();
  await expect(page).not.toHaveURL(new RegExp(parent));
  await expectStatus(turn(page, 1), "succeeded");
  await expect(page.getByText("recorded", { exact: true })).toHaveCount(0);
  expect(await listExecutions(url, page.url().split("/").at(-1) ?? "")).toHaveLength(2);
});
