import { expect, type Locator, type Page } from "@playwright/test";

const MOST_PRESSES = 80;

/** Moves the focus there by the Tab key alone; backwards with `Shift+Tab`. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < MOST_PRESSES && !(await isFocused()); presses += 1) await page.keyboard.press(key);
  await expect(target).toBeFocused();
}
