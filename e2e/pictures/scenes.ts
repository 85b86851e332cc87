import { expect, type Page } from "@playwright/test";
import { expectStatus, locateCall, say, turn } from "../support/playground";

interface Scene {
  /** Of the file in docs/images. */
  name: string;
  /** Opens the page and waits until it shows everything. */
  open(page: Page, url: string): Promise<void>;
}

/** The pictures of the documents, each of a page of the sample data. */
export const SCENES: readonly Scene[] = [
  {
    name: "executions",
    async open(page, url) {
      await page.goto(`${url}/executions?range=7d`);
      await expect(page.getByRole("row").nth(8)).toBeVisible();
      await expect(page.getByText("invalid, rejected, waiting")).toBeVisible();
    },
  },
  {
    name: "change-gate",
    async open(page, url) {
      await page.goto(`${url}/servers/orders/changes`);
      await expect(page.getByText(/^\d+ of \d+ recent calls would break$/)).toBeVisible();
      await expect(page.getByText("region became required").first()).toBeVisible();
    },
  },
  {
    name: "approvals",
    async open(page, url) {
      await page.goto(`${url}/approvals`);
      await expect(page.getByRole("button", { name: /^Approve/ })).toBeVisible();
    },
  },
  {
    name: "client",
    async open(page, url) {
      await page.goto(`${url}/clients`);
      await page.getByRole("link", { name: /^Cursor/ }).click();
      await page.getByLabel("Tool or skill", { exact: true }).fill("refund_order");
      await page.getByRole("button", { name: "Explain" }).click();
      await expect(
        page
          .getByRole("status")
          .or(page.getByText(/not in the toolset/))
          .first(),
      ).toBeVisible();
    },
  },
  {
    name: "suite",
    async open(page, url) {
      await page.goto(`${url}/suites/samples`);
      await expect(page.getByText("get_weather").first()).toBeVisible();
    },
  },
  {
    name: "playground",
    async open(page, url) {
      await page.goto(`${url}/playground`);
      await say(page, "weather in Oslo");
      await expectStatus(turn(page, 1), "succeeded");
      await say(page, "what is 12*7");
      await expectStatus(locateCall(turn(page, 2), "calculator"), "succeeded");
      await expectStatus(turn(page, 2), "succeeded");
    },
  },
];
