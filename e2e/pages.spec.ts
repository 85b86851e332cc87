import { callApi, mockTool, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { preferTheme, THEMES } from "./support/theme";

/** Every page, with something on it. */
async function allPages(baseUrl: string): Promise<string[]> {
  const first = await runTool(baseUrl, "get_weather", { location: "Oslo" });
  const failed = await runTool(baseUrl, "get_weather", { units: "kelvin", days: 1.5 });
  const replay = await callApi<{ id: string }>(baseUrl, "executions.replay", { id: first.id });
  return [
    "/",
    "/tools",
    "/tools/new",
    "/tools/get_weather",
    "/tools/get_weather?tab=definition",
    "/tools/get_weather?tab=formats&provider=gemini",
    "/tools/get_weather?tab=history",
    `/tools/get_weather?from=${failed.id}`,
    "/executions",
    "/executions?q=nothing-like-this",
    `/executions?peek=${first.id}`,
    `/executions/${first.id}`,
    `/executions/${failed.id}`,
    `/executions/${first.id}?tab=edit`,
    `/compare?left=${first.id}&right=${replay.id}`,
    "/compare",
    "/settings",
    "/nowhere",
  ];
}

for (const theme of THEMES) {
  test(`REG-02 axe finds nothing on any page in the ${theme} theme`, async ({ page, startServer, allowProblems }) => {
    test.setTimeout(120_000);
    allowProblems(/status of 404/);
    const { url } = await startServer();
    await preferTheme(page, theme);
    for (const path of await allPages(url)) {
      await page.goto(`${url}${path}`);
      await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
      await page.waitForLoadState("load");
      await expectAccessible(page);
    }
  });
}

test("REG-02 no page scrolls sideways at 375 px, and the rail is a sheet", async ({
  page,
  startServer,
  allowProblems,
}) => {
  test.setTimeout(90_000);
  allowProblems(/status of 404/);
  const { url } = await startServer();
  await page.setViewportSize({ width: 375, height: 740 });
  for (const path of await allPages(url)) {
    await page.goto(`${url}${path}`);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `${path} is ${overflow}px too wide`).toBeLessThanOrEqual(0);
  }
  await page.goto(`${url}/tools`);
  await page
    .getByRole("button", { name: /navigation|menu/i })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("link", { name: "Executions" }).click();
  await expect(page).toHaveURL(`${url}/executions`);
});

test("REG-05 a tool is run at 375 px", async ({ page, startServer }) => {
  const { url } = await startServer();
  await page.setViewportSize({ width: 375, height: 740 });
  await page.goto(`${url}/tools/get_weather`);
  await page.getByLabel("location", { exact: true }).fill("Oslo");
  await page.getByRole("button", { name: "Run ⌘↵" }).click();
  await expect(page.getByRole("region", { name: "Result" }).locator('[data-status="succeeded"]')).toBeVisible();
});

test("REG-02 a broken configuration is shown with its place, and the console works", async ({ page, startServer }) => {
  const { mkdtemp, writeFile } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const config = join(await mkdtemp(join(tmpdir(), "toolroom-broken-")), "toolroom.json");
  const good = JSON.parse(mockTool("still_here", { type: "object", properties: {} }));
  await writeFile(config, JSON.stringify({ tools: { registry: [{ ...good, name: "not a name" }, good] } }));
  const { url } = await startServer({ env: { TOOLROOM_CONFIG: config } });
  await page.goto(`${url}/tools`);
  await expect(page.getByText("not a name").first()).toBeVisible();
  await expect(page.getByRole("link", { name: "still_here" })).toBeVisible();
});

test("REG-05 the keyboard alone: palette to a tool, run, Executions, open, replay", async ({ page, startServer }) => {
  const { url } = await startServer();
  await page.goto(url);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page
    .getByPlaceholder(/Search/)
    .last()
    .waitFor();
  await page.keyboard.type("calculator");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "calculator" })).toBeVisible();
  const expression = page.getByLabel("expression", { exact: true });
  for (
    let presses = 0;
    presses < 60 && !(await expression.evaluate((field) => field === document.activeElement));
    presses += 1
  ) {
    await page.keyboard.press("Tab");
  }
  await expect(expression).toBeFocused();
  await page.keyboard.type("6 * 7");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("region", { name: "Result" })).toContainText("42");
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(`${url}/executions`);
  await expect(page.getByRole("row").filter({ hasText: "calculator" })).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/executions\/exec_/);
  const replay = page.getByRole("button", { name: /^Replay/ }).first();
  for (
    let presses = 0;
    presses < 60 && !(await replay.evaluate((button) => button === document.activeElement));
    presses += 1
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(page.getByText(/replay of/i).first()).toBeVisible();
});
