import type { Locator, Page } from "@playwright/test";
import type { ServerDetail, ServerSettingsInput } from "../../src/lib/contract/server";
import { callApi } from "./api";
import { expect } from "./fixtures";

/** Paths start at the project's folder, which Toolroom is started in. */
export const EVERYTHING_COMMAND = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
};
export const EVERYTHING: ServerSettingsInput = { name: "everything", transport: "stdio", ...EVERYTHING_COMMAND };

export const scriptFile = (script: string): string => `e2e/support/mcp-servers/${script}.mjs`;

/** One of the small servers beside this file, under its own name. */
export function scripted(script: string): ServerSettingsInput {
  return { name: script, transport: "stdio", command: "node", args: [scriptFile(script)] };
}

export function getServer(url: string, name: string): Promise<ServerDetail> {
  return callApi(url, "servers.get", { name }, "GET");
}

/** Adds a server and waits until its tools are there. */
export async function addServer(url: string, settings: ServerSettingsInput): Promise<void> {
  await callApi(url, "servers.create", { settings });
  const state = async () => (await getServer(url, settings.name)).state.status;
  await expect.poll(state, { timeout: 15_000, message: `state of ${settings.name}` }).toBe("connected");
}

/** Opens a page and waits until its scripts run: what is typed before that can be lost. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
}

/** The badge in the head of a server's page; its `data-status` is the state of the connection. */
function connection(page: Page): Locator {
  return page.getByRole("main").locator("header [data-status]").first();
}

export async function expectConnection(page: Page, status: string, timeout = 15_000): Promise<void> {
  await expect(connection(page)).toHaveAttribute("data-status", status, { timeout });
}

export function tab(page: Page, name: string | RegExp): Locator {
  return page.getByRole("tab", { name });
}

/** The tools in sight on the page Tools. */
export function toolLink(page: Page, name: string): Locator {
  return page.getByRole("main").getByRole("link", { name, exact: true });
}
