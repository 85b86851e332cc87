import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { callApi } from "./support/api";
import { expectAccessible } from "./support/axe";
import { addFilter } from "./support/filters";
import { expect, test } from "./support/fixtures";
import { open, tab } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const ROOT = path.resolve(import.meta.dirname, "..");
const run = promisify(execFile);

interface Listed {
  items: {
    id: string;
    toolName: string;
    status: string;
    argumentsPreview: string;
    queuedAt: number;
    durationMs: number;
  }[];
  nextCursor: number | null;
}

interface SeededRun {
  id: string;
  status: string;
  provider: string;
  startedAt: number;
  toolCalls: number;
  parentId: string | null;
}

let directory = "";
const weekDatabase = () => path.join(directory, "week", "toolroom.db");
const agentDatabase = () => path.join(directory, "agent", "toolroom.db");

/** Runs the command as a user types it. */
async function seedInto(file: string, ...scenarios: string[]): Promise<string> {
  return seedWith({ DATABASE_URL: `file:${file}` }, ...scenarios);
}

async function seedWith(env: Record<string, string>, ...scenarios: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ["scripts/seed.mjs", ...scenarios], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  return stdout;
}

const list = (url: string, filter: object): Promise<Listed> =>
  callApi<Listed>(url, "executions.list", { filter, limit: 200 }, "GET");

const rows = (page: Page) => page.locator("tr[data-execution]");

test.beforeAll(async () => {
  test.setTimeout(120_000);
  directory = await mkdtemp(path.join(tmpdir(), "toolroom-seed-"));
  const said = await seedInto(weekDatabase());
  expect(said).toMatch(/agent +(3\d|4\d) runs \(\d+ planned\), \d decided and 3 open approvals, 3 runs of evals/);
  expect(said).toMatch(/busy-week +\d{4} calls/);
  expect(said).toMatch(/first-day +\d\d calls/);
  await cp(path.dirname(weekDatabase()), path.dirname(agentDatabase()), { recursive: true });
});

test.afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test.describe("a week of calls", () => {
  const week = shareToolroom({ serverOptions: () => ({ databaseFile: weekDatabase() }) });

  test("EXE-06 a database seeded before the server's start is what Overview shows, without first-run steps", async ({
    page,
  }) => {
    const { url } = week;
    await page.goto(url);
    // React keeps a streamed section in a hidden element outside of #main for a moment.
    const figure = (label: RegExp) => page.locator("#main dl > div").filter({ has: page.getByText(label) });
    await expect(figure(/^Calls, \d+ days$/).locator("dd")).toHaveText(/^\d{1,3}(,\d{3})+$/);
    await expect(figure(/^Failed, /).locator("dd")).toHaveText(/^[1-3](\.\d)?%\d+ of \d{1,3}(,\d{3})+ finished$/);
    await expect(figure(/^Duration p95, /).locator("dd")).toHaveText(/\d (ms|s)$/);
    await expect(page.getByRole("heading", { name: "Get started" })).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Waiting for you" }).getByRole("listitem")).toHaveCount(3);
    const slowest = page.getByRole("region", { name: /^Slowest tools/ });
    await expect(slowest.getByRole("listitem")).toHaveCount(5);
    await expect(slowest.getByRole("link", { name: "query_warehouse", exact: true })).toBeVisible();
    // The overview names the tool that fails most and the reason; a figure leads to the calls that it counts.
    const failures = page.getByRole("region", { name: /^Most failures/ });
    await expect(failures).toContainText("find-customer");
    await expect(failures.getByRole("listitem").first().getByRole("link").last()).toHaveText(/\w{4}/);
    const count = failures.getByRole("link", { name: /^list_orders: \d+ of/ });
    const failed = /: (\d+) of/.exec((await count.getAttribute("aria-label")) ?? "")?.[1];
    await count.click();
    await expect(page.getByText(`${failed} matches`, { exact: true })).toBeVisible();
  });

  test("EXE-06 axe finds nothing on seeded pages", async ({ page }) => {
    test.setTimeout(60_000);
    const { url } = week;
    for (const place of ["/", "/executions?status=failed", "/tools/list_orders?tab=model", "/toolsets/support"]) {
      await page.goto(`${url}${place}`);
      await expect(
        page
          .getByText(/get_weather|list_orders|find_customer/)
          .filter({ visible: true })
          .first(),
      ).toBeVisible();
      await expectAccessible(page);
    }
  });

  test("EXE-06 Executions are narrowed by source, status and free text, and the address keeps the view", async ({
    page,
  }) => {
    const { url } = week;
    await page.goto(`${url}/executions`);
    await expect(rows(page)).toHaveCount(50);
    await addFilter(page, "Tool");
    const box = await page.getByRole("dialog", { name: "Tool" }).boundingBox();
    const choices = await page.getByRole("group", { name: "Tool" }).boundingBox();
    expect((choices?.y ?? 0) + (choices?.height ?? 0), "a long list ends with its box").toBeLessThanOrEqual(
      (box?.y ?? 0) + (box?.height ?? 0),
    );
    await page.keyboard.press("Escape");
    await addFilter(page, "Source");
    await page.getByRole("checkbox", { name: "gateway" }).check();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/source=gateway/);
    await expect(rows(page).filter({ hasText: /gateway · (Claude Code|Cursor|VS Code)/ })).toHaveCount(50);

    await addFilter(page, "Status");
    await page.getByRole("checkbox", { name: "failed" }).check();
    await page.keyboard.press("Escape");
    await expect(rows(page).locator('[data-status="succeeded"]')).toHaveCount(0);
    const failed = await list(url, { source: ["gateway"], status: ["failed"] });
    expect(failed.items.length).toBeGreaterThan(3);
    await expect(rows(page)).toHaveCount(Math.min(failed.items.length, 50));

    await page.goto(`${url}/executions`);
    await page.getByLabel("Search arguments, results and errors").fill("björk JÓNSDÓTTIR");
    await expect(page).toHaveURL(/q=/);
    await expect(rows(page).first()).toContainText("find_customer");
    const found = await list(url, { q: "björk JÓNSDÓTTIR" });
    expect(found.items.length).toBeGreaterThan(20);
    await expect(rows(page)).toHaveCount(Math.min(found.items.length, 50));
    await page.reload();
    await expect(rows(page)).toHaveCount(Math.min(found.items.length, 50));
  });

  test("EXE-06 the execution list loads page by page in order of start, all scenarios together, without a duplicate row", async ({
    page,
  }) => {
    const { url } = week;
    await page.goto(`${url}/executions`);
    await expect(rows(page)).toHaveCount(50);
    for (const count of [100, 150]) {
      await page.getByRole("button", { name: "Load older" }).click();
      await expect(rows(page)).toHaveCount(count);
    }
    const shown = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute("data-execution")));
    const { items } = await list(url, {});
    expect(shown).toEqual(items.slice(0, 150).map(({ id }) => id));
    // Runs of models and calls of the week are of the same days.
    for (const listed of [items, (await list(url, { source: ["agent", "console"] })).items]) {
      const starts = listed.map(({ queuedAt }) => queuedAt);
      expect(starts).toEqual(starts.toSorted((one, other) => other - one));
    }
  });

  test("EXE-06 the number of a tool's calls leads to these calls and no others", async ({ page }) => {
    const { url } = week;
    const { calls } = await callApi<{ calls: number }>(url, "executions.toolStats", { name: "create_ticket" }, "GET");
    expect(calls).toBeGreaterThan(100);
    await page.goto(`${url}/tools/create_ticket`);
    await page.getByRole("link", { name: /^[\d,]+ calls all time/ }).click();
    await expect(rows(page)).toHaveCount(50);
    const ids = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute("data-execution")));
    const own = (await list(url, { tool: ["create_ticket"] })).items.map(({ id }) => id);
    expect(ids).toEqual(own.slice(0, 50));
  });
});

test("EXE-06 an unknown scenario changes nothing, and the error lists the known ones", async ({ browserName: _ }) => {
  const refused = await seedInto(weekDatabase(), "busy-weak").catch((error: { code: number; stderr: string }) => error);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Unknown scenario: "busy-weak"'),
  });
  expect(refused).toMatchObject({ stderr: expect.stringMatching(/awkward-tools[\s\S]+busy-week[\s\S]+first-day/) });
});

test.describe("two weeks of models at work", () => {
  test.beforeAll(async () => {
    test.setTimeout(60_000);
    const said = await seedInto(agentDatabase(), "awkward-tools");
    expect(said).toMatch(/awkward-tools +9 new tools/);
  });
  const fortnight = shareToolroom({ serverOptions: () => ({ databaseFile: agentDatabase() }) });

  test("EXE-06 seeded runs have every end status, their calls are executions, and a rerun names its parent", async () => {
    const { url } = fortnight;
    const { items } = await callApi<{ items: SeededRun[] }>(url, "runs.list", { filter: {}, limit: 100 }, "GET");
    const ends = new Set(items.map(({ status }) => status));
    expect([...ends].sort()).toEqual(["cancelled", "failed", "interrupted", "succeeded", "waiting"]);
    expect(new Set(items.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(5);
    expect(items.map(({ startedAt }) => startedAt)).toEqual(
      items.map(({ startedAt }) => startedAt).sort((one, other) => other - one),
    );
    const rerun = items.find(({ parentId }) => parentId !== null);
    expect(items.map(({ id }) => id)).toContain(rerun?.parentId);
    for (const { id, toolCalls } of items.filter(({ parentId }) => parentId === null)) {
      const { settings } = await callApi<{ settings: { cassette?: string } }>(url, "runs.get", { id }, "GET");
      // Calls that a cassette answers are no executions.
      if (settings.cassette !== undefined) continue;
      const { items: calls } = await callApi<Listed>(
        url,
        "executions.list",
        { filter: { runId: id }, limit: 50 },
        "GET",
      );
      expect(calls, id).toHaveLength(toolCalls);
    }
  });

  test("AGT-05 the waiting call of the seeded run executes once it is approved, and the run continues", async ({
    page,
  }) => {
    const { url } = fortnight;
    const listed = await callApi<{ items: SeededRun[] }>(url, "runs.list", { filter: { status: ["waiting"] } }, "GET");
    const id = listed.items[0]?.id ?? "";
    const open = await callApi<{ items: { executionId: string; runId: string | null }[] }>(
      ...([url, "approvals.list", { status: "open" }, "GET"] as const),
    );
    expect(open.items).toHaveLength(3);
    const executionId = open.items.find(({ runId }) => runId === id)?.executionId;
    await callApi(url, "approvals.decide", { executionId, decision: { approved: true } });
    await expect.poll(async () => (await callApi<SeededRun>(url, "runs.get", { id }, "GET")).status).toBe("succeeded");
    await page.goto(`${url}/runs/${id}`);
    await expect(page.getByText("rfd_5180").first()).toBeVisible();
  });

  test("EXE-06 axe finds nothing on pages of seeded runs", async ({ page }) => {
    test.setTimeout(120_000);
    const { url } = fortnight;
    const { items } = await callApi<{ items: SeededRun[] }>(url, "runs.list", { filter: {}, limit: 100 }, "GET");
    const withEnd = (status: string) => `/runs/${items.find((item) => item.status === status)?.id}`;
    // Others are looked at with the pages of models at work.
    for (const place of ["cancelled", "failed", "interrupted"].map(withEnd)) {
      await page.goto(`${url}${place}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expectAccessible(page);
    }
  });

  test("DEF-01 tools with awkward names, keys and schemas have pages that work, and so have their calls", async ({
    page,
  }) => {
    test.setTimeout(180_000);
    const { url } = fortnight;
    const { items } = await callApi<{ items: { name: string; tags: string[] }[] }>(url, "tools.list", {}, "GET");
    const names = items.filter(({ tags }) => tags.includes("awkward")).map(({ name }) => name);
    expect(names).toHaveLength(9);
    const withoutHandler = await list(url, { tool: ["awkward_missing_handler"] });
    expect(withoutHandler.items.map(({ status }) => status)).toEqual(["failed"]);
    for (const name of names) {
      const [call] = (await list(url, { tool: [name] })).items;
      await open(page, `${url}/tools/${name}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expectAccessible(page, { colors: false });
      await tab(page, "Definition").click();
      await expect(page.getByRole("tabpanel", { name: "Definition" })).toContainText(name);
      await expectAccessible(page, { colors: false });
      await page.goto(`${url}/executions/${call?.id}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    }
    await open(page, `${url}/tools/awkward_keys`);
    await page.getByLabel("__proto__", { exact: true }).fill("sent");
    await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
    await expect(page.getByRole("region", { name: "Result" })).toContainText('"__proto__": "sent"');
  });
});

interface Rules {
  providers: number;
  retention: number;
  webhooks: number;
  alerts: number;
  calls: number;
  cases: number;
}

/** What the sample data may have in a database of its own alone. */
async function countRules(url: string): Promise<Rules> {
  const get = <Answer>(name: string) => callApi<Answer>(url, name, undefined, "GET");
  const { items } = await get<{ items: { builtIn?: boolean; name: string }[] }>("models.providers");
  return {
    providers: items.filter(({ name }) => name !== "demo").length,
    retention: (await get<{ policy: { rules: unknown[] } }>("retention.get")).policy.rules.length,
    webhooks: (await get<unknown[]>("webhooks.list")).length,
    alerts: (await get<unknown[]>("alerts.rules")).length,
    calls: (await get<unknown[]>("rules.list")).length,
    cases: (await get<unknown[]>("ruleCases.list")).length,
  };
}

test.describe("a server that runs", () => {
  const running = shareToolroom({
    serverOptions: () => ({ databaseFile: path.join(directory, "running", "toolroom.db") }),
  });

  test("EXE-06 takes the sample data while pages are open, and gets no provider, rule or webhook unless demo is asked for", async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const { url } = running;
    const before = await countRules(url);
    await page.goto(`${url}/executions`);
    await expect(page.getByRole("heading", { level: 1, name: "Executions" })).toBeVisible();
    const said = await seedInto(path.join(directory, "running", "toolroom.db"));
    expect(said).toContain(`server         ${url}, which stays running`);
    expect(said).toMatch(
      /busy-week +\d{4} calls since .+, 7 new tools, the toolset support, a lens of list_orders, 2 saved views, 4 clients/,
    );
    expect(said).toMatch(
      /left out +model providers, rules for calls, retention and alerts, a webhook and a schedule: seed demo adds them/,
    );
    await expect(rows(page)).toHaveCount(50);
    expect(await countRules(url)).toEqual(before);

    // The pending run is decided without a restart of the server.
    const listed = await callApi<{ items: SeededRun[] }>(url, "runs.list", { filter: { status: ["waiting"] } }, "GET");
    const id = listed.items[0]?.id ?? "";
    const open = await callApi<{ items: { executionId: string; runId: string | null }[] }>(
      ...([url, "approvals.list", { status: "open" }, "GET"] as const),
    );
    const executionId = open.items.find(({ runId }) => runId === id)?.executionId;
    await callApi(url, "approvals.decide", { executionId, decision: { approved: true } });
    await expect.poll(async () => (await callApi<SeededRun>(url, "runs.get", { id }, "GET")).status).toBe("succeeded");

    const demo = await seedInto(path.join(directory, "running", "toolroom.db"), "demo");
    expect(demo).toMatch(/3 retention rules, a disabled webhook, 4 alert rules, 9 rules for calls, 4 cases of rules/);
    const after = await countRules(url);
    expect([after.retention, after.webhooks, after.alerts, after.calls, after.cases]).toEqual([3, 1, 4, 9, 4]);
    expect(after.providers).toBeGreaterThan(before.providers);
    const refused = await seedInto(path.join(directory, "running", "toolroom.db"), "busy-weak").catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Unknown scenario: "busy-weak"') });
  });
});

test("EXE-06 seeding again adds to the week only what has come since, and no run, approval or eval run twice", async () => {
  test.setTimeout(120_000);
  const database = path.join(directory, "again", "toolroom.db");
  await cp(path.dirname(weekDatabase()), path.dirname(database), { recursive: true });
  const said = await seedInto(database, "agent", "busy-week");
  expect(Number(/busy-week +(\d+) calls/.exec(said)?.[1])).toBeLessThan(100);
  expect(said).toMatch(/agent +[0-2] runs .+, 0 runs of evals/);
});

test("sample data of a server with accounts has users, groups with roles and a service account, once", async () => {
  test.setTimeout(60_000);
  const file = path.join(directory, "accounts.db");
  const withAccounts = { DATABASE_URL: `file:${file}`, TOOLROOM_AUTH: "on" };
  expect(await seedWith(withAccounts, "team")).toContain("3 users, 3 groups with roles, a service account");
  expect(await seedWith(withAccounts, "team")).toMatch(/team +0 users, 0 groups with roles\n/);
  expect(await seedInto(path.join(directory, "open.db"), "team")).toMatch(/team +left out: accounts are off/);
});
