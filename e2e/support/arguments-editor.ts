import { expect, type Locator, type Page } from "@playwright/test";
import { callApi, mockTool } from "./api";

interface Stored {
  argumentsText: string;
  resultText: string | null;
  status: string;
}

/** Opens a tool that echoes, so that what arrived can be compared with what was shown. */
export async function openTool(page: Page, baseURL: string | undefined, name: string, schema: object): Promise<void> {
  const definition = JSON.parse(mockTool(name, { type: "object", ...schema }));
  const definitionText = JSON.stringify({ ...definition, implementation: { type: "builtin", handler: "echo" } });
  await callApi(baseURL ?? "", "tools.create", { definition: definitionText });
  await page.goto(`/tools/${name}`);
  // Said once the page's scripts run; what is typed before that can be lost.
  await expect(page.getByText("live", { exact: true })).toBeVisible();
}

/** The place of an argument, by JSON pointer: its label, control, hints and faults. */
const field = (page: Page, pointer: string): Locator => page.locator(`[data-pointer="${pointer}"]`);
export const input = (page: Page, path: string): Locator => page.getByLabel(path, { exact: true });
export const runButton = (page: Page): Locator => page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ });
/** In JSON mode it is folded. */
export const requestBody = (page: Page): Locator => page.locator('[aria-label="Exact request body"]');
export const code = (page: Page): Locator => page.getByLabel("Arguments as JSON");

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name }).click();
}

export async function sendAs(page: Page, pointer: string, state: "Omit" | "null" | "Value"): Promise<void> {
  await field(page, pointer).locator("[data-field-header]").first().hover();
  const states = field(page, pointer).getByRole("radiogroup", { name: "Send as" }).first();
  await states.getByRole("radio", { name: state, exact: true }).check();
}

/** Picks an action from the menu of the editor. */
export async function choose(page: Page, action: string): Promise<void> {
  await press(page, "Argument actions");
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

export async function editAs(page: Page, mode: "Form" | "JSON"): Promise<void> {
  await page.getByRole("radio", { name: mode, exact: true }).check();
}

export async function expectSent(page: Page, value: object): Promise<void> {
  await expect.poll(async () => JSON.parse((await requestBody(page).textContent()) ?? "null")).toEqual(value);
}

/** Runs by `act`: the stored text must be the shown text, byte for byte, and the tool must get its value. */
export async function runBy(page: Page, baseURL: string | undefined, act: () => Promise<void>): Promise<unknown> {
  const open = page.getByRole("region", { name: "Result" }).getByRole("link", { name: "Open" });
  const before = (await open.count()) === 0 ? "" : await open.getAttribute("href");
  const shownText = (await requestBody(page).textContent()) ?? "";
  const shown: unknown = JSON.parse(shownText);
  await act();
  await expect(open).not.toHaveAttribute("href", before ?? "");
  const id = (await open.getAttribute("href"))?.split("/").at(-1);
  const stored = await callApi<Stored>(baseURL ?? "", "executions.get", { id }, "GET");
  expect(stored.status).toBe("succeeded");
  expect(stored.argumentsText).toBe(shownText);
  const { echo } = JSON.parse(stored.resultText ?? "{}") as { echo: unknown };
  // As text, since the order of keys counts too.
  expect(JSON.stringify(echo)).toBe(JSON.stringify(shown));
  return echo;
}

export function run(page: Page, baseURL: string | undefined): Promise<unknown> {
  return runBy(page, baseURL, () => runButton(page).click());
}
