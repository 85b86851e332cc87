import type { Page } from "@playwright/test";

/** Opens the values of a filter that is not set yet. */
export async function addFilter(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}
