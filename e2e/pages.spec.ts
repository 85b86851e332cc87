import type { Page } from "@playwright/test";
import { callApi, mockTool, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { addServer, EVERYTHING, getServer, scripted } from "./support/servers";
import { preferTheme, THEMES } from "./support/theme";

/** An address, and where the page fetches more than it is sent with, a text that tells that it is there. */
type Address = string | { path: string; shows: string };

/** Every page but those of servers, with something on it. */
async function consolePages(baseUrl: string): Promise<Address[]> {
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

/** Every page and tab of servers: one that has everything, one that prints what it should not, one that does not start. */
async function serverPages(baseUrl: string): Promise<Address[]> {
  await Promise.all(
    [EVERYTHING, scripted("polluting"), scripted("malformed-tools"), scripted("evolving")].map((each) =>
      addServer(baseUrl, each),
    ),
  );
  const absent = {
    name: "absent",
    transport: "stdio",
    command: "no-such-command-here",
    env: [{ name: "TOKEN", value: "0123456789" }],
  };
  await callApi(baseUrl, "servers.create", { settings: absent });
  await expect.poll(async () => (await getServer(baseUrl, "absent")).state.status).toBe("failed");
  await runTool(baseUrl, "polluting__glued", {});
  await runTool(baseUrl, "evolving__evolve", {});
  await expect.poll(async () => (await getServer(baseUrl, "evolving")).changes.length).toBe(1);
  const picture = await runTool(baseUrl, "everything__get-tiny-image", {});
  return [
    { path: "/servers", shows: "2 breaking" },
    { path: "/servers?connect=1", shows: "Run in a terminal" },
    { path: "/servers/new", shows: "Working directory" },
    { path: "/servers/new?tab=paste", shows: "What is found in it appears here" },
    { path: "/servers/everything", shows: "get-tiny-image" },
    { path: "/servers/evolving?tab=changes", shows: "parameter 'page' is now required" },
    { path: "/servers/everything?tab=resources", shows: "architecture.md" },
    {
      path: "/servers/everything?tab=resources&uri=demo%3A%2F%2Fresource%2Fstatic%2Fdocument%2Farchitecture.md",
      shows: "Everything Server – Architecture",
    },
    { path: "/servers/everything?tab=prompts&prompt=args-prompt", shows: "Get messages" },
    { path: "/servers/polluting?tab=log", shows: "debug: no newline" },
    { path: "/servers/everything?tab=messages", shows: "tools/list" },
    { path: "/servers/everything?tab=settings", shows: "How it is reached" },
    { path: "/servers/malformed-tools", shows: "Cannot be called" },
    { path: "/servers/absent", shows: "Open its log" },
    { path: "/servers/absent?tab=settings", shows: "TOKEN" },
    { path: "/servers/absent/edit", shows: "stored" },
    "/servers/nowhere",
    { path: "/tools?server=everything", shows: "everything__echo" },
    { path: "/tools/everything__echo", shows: "Message to echo" },
    { path: `/executions/${picture.id}`, shows: "image/png" },
  ];
}

const PARTS = [
  { part: "of the console", addresses: consolePages },
  { part: "of servers", addresses: serverPages },
] as const;

async function openEach(page: Page, baseUrl: string, addresses: Address[], look: (path: string) => Promise<void>) {
  for (const address of addresses) {
    const { path, shows = null } = typeof address === "string" ? { path: address } : address;
    await page.goto(`${baseUrl}${path}`);
    // A dialog hides the page behind it.
    await expect(page.getByRole("heading", { level: 1, includeHidden: true }).first()).toBeAttached();
    await page.waitForLoadState("load");
    if (shows !== null) await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
    await look(path);
  }
}

for (const { part, addresses } of PARTS) {
  for (const theme of THEMES) {
    test(`REG-02 axe finds nothing on any page ${part} in the ${theme} theme`, async ({
      page,
      startServer,
      allowProblems,
    }) => {
      test.setTimeout(120_000);
      allowProblems(/status of 404/);
      const { url } = await startServer();
      await preferTheme(page, theme);
      await openEach(page, url, await addresses(url), () => expectAccessible(page));
    });
  }

  test(`REG-02 no page ${part} scrolls sideways at 375 px`, async ({ page, startServer, allowProblems }) => {
    test.setTimeout(90_000);
    allowProblems(/status of 404/);
    const { url } = await startServer();
    await page.setViewportSize({ width: 375, height: 740 });
    await openEach(page, url, await addresses(url), async (path) => {
      // The page scrolls inside `main`.
      const overflow = await page.evaluate(() =>
        Math.max(
          ...[document.documentElement, ...document.querySelectorAll("main, [role=dialog]")].map(
            ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
          ),
        ),
      );
      expect(overflow, `${path} is ${overflow}px too wide`).toBeLessThanOrEqual(0);
    });
  });
}

test("REG-02 the rail is a sheet at 375 px", async ({ page, startServer }) => {
  const { url } = await startServer();
  await page.setViewportSize({ width: 375, height: 740 });
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
