import type { Page } from "@playwright/test";

/** Shows the page as a system with this preference would; the console follows it unless its own switch was used. */
export async function preferTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
}
