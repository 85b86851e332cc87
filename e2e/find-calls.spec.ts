import { readFile } from "node:fs/promises";
import type { Locator } from "@playwright/test";
import { runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";

test("a user finds calls by counted filters and a dragged time, saves them as a view for the team, and exports them", async ({
  page,
  context,
  startServer,
}) => {
  const { url } = await startServer();
  for (const message of ["one", "two", "three"]) await runTool(url, "echo", { message });
  await runTool(url, "get_weather", { location: "Oslo" });
  await runTool(url, "calculator", { expression: "1 +" });
  await page.goto(`${url}/executions`);
  await expect(page.getByText("live", { exact: true })).toBeVisible();

  // A choice says how many calls it would find, before it is made.
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  const echo = page.getByRole("checkbox", { name: "echo", exact: true });
  await expect(echo).toHaveAttribute("aria-description", "3");
  await expect(page.getByRole("checkbox", { name: "calculator", exact: true })).toHaveAttribute(
    "aria-description",
    "1",
  );
  await echo.check();
  await page.keyboard.press("Escape");
  await expect(page.getByText("3 matches")).toBeVisible();
  await expect(page).toHaveURL(/tool=echo/);

  // The chart is read and opened with the keyboard; its range becomes the list's.
  const chart = page.getByRole("slider", { name: "Calls over time" });
  // A minute may have passed between the calls.
  await expect.poll(() => countCalls(chart)).toBe(3);
  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tool=echo.*range=custom&since=\d+&until=\d+/);
  await expect(page.getByText("3 matches")).toBeVisible();
  const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect(page.getByText("3 matches")).toBeVisible();
  await page.getByRole("button", { name: "View as table" }).click();
  await expect(page.getByRole("table", { name: "Calls over time" })).toContainText("3");
  await expectAccessible(page);

  // A view is the address under a name, for everyone.
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save filters as a view…" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Echoes");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(/view=view_/);
  const other = await context.newPage();
  await other.goto(`${url}/executions`);
  await other.getByRole("button", { name: "Views" }).click();
  await other.getByRole("menuitem", { name: "Echoes" }).click();
  await expect(other.getByText("3 matches")).toBeVisible();
  await expect(other.getByRole("button", { name: "Echoes" })).toBeVisible();

  await other.getByRole("button", { name: "Actions" }).click();
  await expect(other.getByRole("menu")).toContainText("All 3 matches");
  const download = other.waitForEvent("download");
  await other.getByRole("menuitem", { name: /JSON Lines/ }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { toolName: string }).toolName)).toEqual(["echo", "echo", "echo"]);

  await other.getByRole("row").getByRole("checkbox").last().check();
  await other.getByRole("button", { name: "Actions" }).click();
  await expect(other.getByRole("menu")).toContainText("1 selected call");
  const chosen = other.waitForEvent("download");
  await other.getByRole("menuitem", { name: /JSON Lines/ }).click();
  expect((await readFile(await (await chosen).path(), "utf8")).trim().split("\n")).toHaveLength(1);

  await other.getByRole("button", { name: "Echoes" }).click();
  await other.getByRole("menuitem", { name: "Delete “Echoes”" }).click();
  await expect(other.getByText("View deleted")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: "Views" })).toBeVisible();
});

/** Reads every step of a chart with the keyboard. @returns the sum of their calls */
async function countCalls(chart: Locator): Promise<number> {
  await chart.press("Home");
  let sum = 0;
  for (let left = Number(await chart.getAttribute("aria-valuemax")); left >= 0; left -= 1) {
    sum += Number(/(\d+) calls?/.exec((await chart.getAttribute("aria-valuetext")) ?? "")?.[1] ?? 0);
    await chart.press("ArrowRight");
  }
  return sum;
}
