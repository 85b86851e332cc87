import type { Page } from "@playwright/test";
import type { EvalRunSummary } from "../src/lib/contract/eval";
import { findCoveredControls, installTools } from "./engines/in-page";
import { WITH_ACCOUNTS } from "./support/accounts";
import { callApi, mockTool, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { tabTo } from "./support/keyboard";
import { createPurge, listExecutions, startRun, whenAsked, whenRun } from "./support/runs";
import { addServer, EVERYTHING, getServer, scripted } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

/** An address; where the page fetches more than it is sent with, a text that it shows then; and its title where that matters. */
type Address = string | { path: string; shows?: string; title?: string };

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
    "/tools/get_weather?tab=definition&provider=gemini",
    "/tools/get_weather?tab=model",
    "/executions?tool=get_weather",
    `/tools/get_weather?from=${failed.id}`,
    "/executions",
    "/executions?q=nothing-like-this",
    `/executions?peek=${first.id}`,
    `/executions/${first.id}`,
    `/executions/${failed.id}`,
    `/executions/${first.id}?tab=edit`,
    `/compare?left=${first.id}&right=${replay.id}`,
    "/compare",
    { path: "/settings", shows: "Single-key shortcuts", title: "Appearance · Settings" },
    { path: "/settings/installation", shows: "Limits in force", title: "General · Settings" },
    { path: "/settings/registry", shows: "/v0.1/servers", title: "Registry · Settings" },
    { path: "/settings/people", shows: WITH_ACCOUNTS ? "Invite" : "Accounts are off", title: "People · Settings" },
    { path: "/suites", shows: "No suites yet", title: "Suites" },
    { path: "/settings/audit", title: "Audit log · Settings" },
    { path: "/settings/storage", shows: "Background jobs", title: "Storage · Settings" },
    { path: "/alerts", shows: "No alert rules yet", title: "Alerts" },
    { path: "/settings/webhooks", shows: "No webhooks yet", title: "Webhooks · Settings" },
    { path: "/clients", shows: "Run in a terminal", title: "Clients" },
    {
      path: "/settings/account",
      shows: WITH_ACCOUNTS ? "Change password" : "Accounts are off",
      title: "Account · Settings",
    },
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
  await expect.poll(async () => (await getServer(baseUrl, "evolving")).changeCount).toBe(1);
  const picture = await runTool(baseUrl, "everything__get-tiny-image", {});
  return [
    { path: "/servers", shows: "2 breaking" },
    { path: "/clients?server=everything&transport=stdio&all=true", shows: "librechat.yaml" },
    { path: "/servers/new", shows: "Working directory" },
    { path: "/servers/new?tab=paste", shows: "Detected servers appear here" },
    { path: "/servers/everything", shows: "get-tiny-image" },
    { path: "/servers/evolving?tab=changes", shows: "parameter 'page' is now required" },
    { path: "/servers/everything/changes", shows: "No changes to review" },
    { path: "/servers/everything?tab=offers", shows: "architecture.md" },
    {
      path: "/servers/everything?tab=offers&uri=demo%3A%2F%2Fresource%2Fstatic%2Fdocument%2Farchitecture.md",
      shows: "Everything Server – Architecture",
    },
    { path: "/servers/everything?tab=offers&of=prompts&prompt=args-prompt", shows: "Get messages" },
    { path: "/servers/polluting?tab=log", shows: "debug: no newline" },
    { path: "/servers/everything?tab=log&show=messages", shows: "tools/list" },
    { path: "/servers/everything?tab=settings", shows: "Spoken protocol" },
    { path: "/servers/malformed-tools", shows: "Unavailable tools" },
    { path: "/servers/absent", shows: "Open its log" },
    { path: "/servers/absent?tab=settings", shows: "TOKEN" },
    { path: "/servers/absent/edit", shows: "stored" },
    "/servers/nowhere",
    { path: "/tools?server=everything", shows: "everything__echo" },
    { path: "/tools/everything__echo", shows: "Message to echo" },
    { path: `/executions/${picture.id}`, shows: "image/png" },
  ];
}

interface AgentTraces {
  run: string;
  rerun: string;
  waiting: string;
  asked: string;
  check: string;
}

/** Creates the data of models: a run and its rerun, a run that waits for a user, a run of evals. */
async function letModelsWork(baseUrl: string): Promise<AgentTraces> {
  await createPurge(baseUrl, "purge_files");
  const provider = {
    name: "local",
    kind: "openai-compatible",
    baseUrl: "http://127.0.0.1:9/v1",
    models: ["some-model"],
  };
  await callApi(baseUrl, "models.createProvider", { provider: { ...provider, apiKey: "0123456789" } });
  const question = { suite: "sums", question: "What is twelve times seven?", expected: ["calculator"] };
  await callApi(baseUrl, "suites.addEval", question);
  const target = { name: "sums", provider: "local", model: "some-model", rounds: 1 };
  const { id: check } = await callApi<{ id: string }>(baseUrl, "suites.run", target);
  const run = await startRun(baseUrl, 'echo {"a":1}, get_weather {"units":"kelvin"} and what is 12*7');
  await whenRun(baseUrl, run, "succeeded");
  const again = { id: run, fromStep: 1, results: "recorded" };
  const { id: rerun } = await callApi<{ id: string }>(baseUrl, "runs.rerun", again);
  await whenRun(baseUrl, rerun, "succeeded");
  const refused = await startRun(baseUrl, 'purge_files {"folder":"kept"}');
  const { executionId } = await whenAsked(baseUrl, "purge_files");
  const decision = { approved: false, reason: "Audit wants these" };
  await callApi(baseUrl, "approvals.decide", { executionId, decision });
  await whenRun(baseUrl, refused, "succeeded");
  const waiting = await startRun(baseUrl, 'purge_files {"folder":"old","keep":2}');
  const asked = await whenAsked(baseUrl, "purge_files");
  const checked = () => callApi<EvalRunSummary>(baseUrl, "suites.getRun", { id: check }, "GET");
  await expect.poll(async () => (await checked()).status, { timeout: 20_000 }).toBe("finished");
  return { run, rerun, waiting, asked: asked.executionId, check };
}

/** Every page of models at work and every lens on it, titled by what it shows. */
async function agentPages(baseUrl: string): Promise<Address[]> {
  const { run, rerun, waiting, asked, check } = await letModelsWork(baseUrl);
  const [call] = await listExecutions(baseUrl, run);
  return [
    { path: "/playground", shows: "Let a model use your tools", title: "Playground" },
    { path: `/playground?run=${run}`, shows: "3 tool calls" },
    { path: `/playground?run=${waiting}`, shows: "Edit arguments" },
    { path: "/playground?run=nowhere", shows: "Couldn't load the conversation" },
    { path: "/runs", shows: "what is 12*7", title: "Runs" },
    "/runs?q=nothing-like-this",
    {
      path: `/runs/${run}`,
      shows: "3 tool calls",
      title: 'echo {"a":1}, get_weather {"units":"kelvin"} and what is 12*7 · Runs',
    },
    { path: `/runs/${run}?view=timeline`, shows: "before the first token" },
    { path: `/runs/${rerun}`, shows: "recorded" },
    { path: `/runs/${waiting}`, shows: "Edit arguments" },
    {
      path: `/runs/${waiting}?view=timeline`,
      shows: "before the first token",
      title: 'purge_files {"folder":"old","keep":2} · Runs',
    },
    "/runs/nowhere",
    { path: `/executions?run=${run}`, shows: "calculator" },
    { path: `/executions/${call?.id ?? ""}`, shows: run },
    { path: `/executions/${asked}`, shows: "Edit arguments" },
    { path: "/tools/purge_files", shows: "marked destructive" },
    { path: "/approvals", shows: "purge_files", title: "Approvals (1)" },
    { path: `/approvals?id=${asked}`, shows: "Edit arguments" },
    { path: "/approvals?tab=decided", shows: "Audit wants these" },
    { path: "/approvals/rules", shows: "No rules yet", title: "Rules · Approvals" },
    { path: "/approvals/rules/spend", shows: "No spend in this time", title: "Spend · Approvals" },
    { path: `/approvals/rules?rule=new&from=${asked}`, shows: "Asks when purge_files is called" },
    { path: "/settings/models", shows: "some-model", title: "Models · Settings" },
    { path: "/suites?type=evals", shows: "sums", title: "Suites" },
    { path: "/suites?eval=new", shows: "Expected tools" },
    { path: "/suites/sums?tab=candidates", shows: "get_weather", title: "sums · Suites" },
    { path: "/suites/sums", shows: "What is twelve times seven?", title: "sums · Suites" },
    { path: "/suites/sums?run=new", shows: "Start run" },
    { path: `/suites/runs/${check}`, shows: "What went wrong", title: "sums with some-model · Suites" },
    "/suites/runs/nowhere",
    {
      path: `/suites/runs/compare?left=${check}&right=${check}`,
      shows: "may be chance",
      title: "Compare runs · Suites",
    },
  ];
}

const PARTS = [
  { part: "of the console", addresses: consolePages },
  { part: "of servers", addresses: serverPages },
  { part: "of models at work", addresses: agentPages },
] as const;

async function openAddress(page: Page, baseUrl: string, address: Address): Promise<void> {
  const { path, shows, title } = typeof address === "string" ? { path: address } : address;
  await page.goto(`${baseUrl}${path}`);
  // A dialog hides the page behind it.
  await expect(page.getByRole("heading", { level: 1, includeHidden: true }).first()).toBeAttached();
  await page.waitForLoadState("load");
  if (shows) await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible();
  if (title) await expect(page, path).toHaveTitle(`${title} · Toolroom`);
}

/**
 * By how many pixels the page, `main` (which scrolls for it) or a dialog is wider than what shows it, or a table or a part
 * of the page reaches beyond the window, where it may be cut off without a scroll bar.
 */
function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll("main, [role=dialog]")];
    // A region that is scrolled by itself is a tab stop.
    const parts = [...document.querySelectorAll("header, main, main > *, table")].filter(
      (part) => part.closest('[role=group][tabindex="0"]') === null,
    );
    const beyond = parts.map((part) => Math.floor(part.getBoundingClientRect().right) - window.innerWidth);
    return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), ...beyond);
  });
}

async function expectReachable(page: Page): Promise<void> {
  await page.evaluate(installTools);
  const find = async () => (await page.evaluate(findCoveredControls)).covered;
  await expect.poll(find, `controls of ${page.url()} that something covers`).toEqual([]);
}

const toolroom = shareToolroom();
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 375, height: 740 };

for (const { part, addresses } of PARTS) {
  test(`REG-02 axe finds nothing on any page ${part} in either theme, none scrolls sideways at 375 px or prefetches by itself, and a pointer hits every control at its centre`, async ({
    page,
    allowProblems,
  }) => {
    test.setTimeout(240_000);
    allowProblems(/status of 404/);
    const { url } = toolroom;
    const prefetched: string[] = [];
    page.on("request", (request) => {
      if (request.headers()["next-router-prefetch"] !== undefined) prefetched.push(`${page.url()}: ${request.url()}`);
    });
    for (const address of await addresses(url)) {
      await openAddress(page, url, address);
      await expectAccessible(page);
      await expectReachable(page);
      await page.setViewportSize(PHONE);
      // A page may lay itself out again by script.
      await expect.poll(() => measureOverflow(page), `${page.url()} is too wide`).toBeLessThanOrEqual(0);
      await expectReachable(page);
      await page.setViewportSize(WIDE);
    }
    expect(prefetched).toEqual([]);
    await page.getByRole("link", { name: "Overview", exact: true }).hover();
    await expect.poll(() => prefetched.length, "a link that is pointed at").toBeGreaterThan(0);
  });
}

test("REG-02 REG-05 at 375 px a tool is run, the rail is a sheet that leads to its execution, and the order of a list is beside its filters", async ({
  page,
  sharedServer: { url },
}) => {
  await page.setViewportSize(PHONE);
  await page.goto(`${url}/tools/get_weather`);
  // Text typed before the page's scripts run can be lost; on a phone the indicator is a dot.
  await expect(page.getByText("live", { exact: true })).toBeAttached();
  await page.getByRole("textbox", { name: "location" }).fill("Oslo");
  await page.getByRole("combobox", { name: "units" }).focus();
  const omit = page.getByRole("radio", { name: "Omit", exact: true }).first();
  expect((await omit.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  expect((await page.locator("label", { has: omit }).first().boundingBox())?.height).toBeGreaterThanOrEqual(32);
  // No key is named where there are none.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" }).locator('[data-status="succeeded"]')).toBeVisible();
  await page
    .getByRole("button", { name: /navigation|menu/i })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("link", { name: "Executions" }).click();
  await expect(page).toHaveURL(`${url}/executions`);
  for (const [path, order] of [
    ["executions", "Longest first"],
    ["tools", "Most calls"],
  ] as const) {
    await page.goto(`${url}/${path}`);
    await expect(page.getByText("live", { exact: true })).toBeAttached();
    const sort = page.getByRole("combobox", { name: "Sort" });
    await expect(sort).toBeVisible();
    // The count of a list takes room too.
    await expect(page.getByText(/^\d[\d,]* (execution|tool)s?$/).first()).toBeVisible();
    expect((await sort.boundingBox())?.width, path).toBeGreaterThan(100);
    await sort.selectOption(order);
    await expect(page).toHaveURL(/sort=-(duration|calls)$/);
  }
});

test("a tool name of 120 characters widens no page", async ({ page, startServer }) => {
  test.setTimeout(90_000);
  const { url } = await startServer();
  const name = "read_multiple_files_".repeat(6);
  await callApi(url, "tools.create", { definition: mockTool(name, { type: "object", properties: {} }) });
  const { id } = await runTool(url, name, {});
  await whenRun(url, await startRun(url, `${name} {}`), "succeeded");
  await callApi(url, "tools.setApproval", { name, mode: "always" });
  const waiting = await runTool(url, name, {}, { waitMs: 0 });
  const tool = `/tools/${name}`;
  for (const path of [
    "/executions",
    "/tools",
    "/approvals",
    "/approvals/rules",
    "/approvals/rules/spend",
    `/approvals/rules?rule=new&from=${id}`,
    "/runs",
    tool,
    `/executions/${id}`,
    `/executions/${waiting.id}`,
  ]) {
    await openAddress(page, url, path);
    for (const width of [375, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => measureOverflow(page), `${path} at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
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

test("REG-05 the keyboard alone: palette to a tool, run, Executions, open, replay", async ({
  page,
  sharedServer: { url },
}) => {
  await page.goto(url);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page
    .getByPlaceholder(/Search/)
    .last()
    .waitFor();
  // Enter is pressed before the server has found the tool.
  let answer = () => {};
  const pressed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/api\/trpc\/[^?]*tools\.suggest/, async (route) => {
    await pressed;
    await route.continue();
  });
  await page.keyboard.type("calculator");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Opening the first result…")).toBeVisible();
  answer();
  await expect(page.getByRole("heading", { level: 1, name: "calculator" })).toBeVisible();
  const expression = page.getByLabel("expression", { exact: true });
  await tabTo(page, expression);
  await page.keyboard.type("6 * 7");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("region", { name: "Result" })).toContainText("42");
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(`${url}/executions`);
  await expect(page.getByRole("row").filter({ hasText: '"6 * 7"' }).first()).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/executions\/exec_/);
  await tabTo(page, page.getByRole("button", { name: /^Replay/ }).first());
  await page.keyboard.press("Enter");
  await expect(page.getByText(/replay of/i).first()).toBeVisible();
});
