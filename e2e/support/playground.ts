import type { Locator, Page } from "@playwright/test";
import { expect } from "./fixtures";

/** The longest answer that the demo model gives: a quarter of a minute of words. */
export const LONG_STORY = {
  ask: "write a long story",
  begins: "The demo model cannot write a story.",
  ends: "End of the sample text.",
};

export const conversation = (page: Page): Locator => page.getByRole("group", { name: "Conversation", exact: true });
export const message = (page: Page): Locator => page.getByRole("textbox", { name: "Message to the model" });
export const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole("button", { name, exact: true });

/** One message and what came of it, counted from 1; its `data-status` is how it ended. */
export function turn(page: Page, position: number): Locator {
  return page.getByRole("region", { name: `Turn ${position}`, exact: true });
}

/** The card of a call; its `data-status` is the call's. */
export function locateCall(within: Page | Locator, tool: string): Locator {
  return within.getByRole("article", { name: `Call of ${tool}`, exact: true });
}

export async function expectStatus(place: Locator, status: string, timeout = 15_000): Promise<void> {
  await expect(place).toHaveAttribute("data-status", status, { timeout });
}

export async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await button(page, "Send").click();
}

/** Reads the id of the run that the Playground shows. */
export async function readRunId(page: Page): Promise<string> {
  await expect(page).toHaveURL(/run_/);
  return /run_[\w-]+/.exec(page.url())?.[0] ?? "";
}

/** Waits until more stands there than does now. */
export async function expectGrowth(place: Locator): Promise<void> {
  const length = async () => (await place.textContent())?.length ?? 0;
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before);
}
