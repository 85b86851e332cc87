import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSqliteVersion, readOlderVersions } from "../src/server/platform/db/older-versions.test-support";
import { restoreDatabase } from "../src/server/platform/db/restore-database";
import { expect, test } from "./support/fixtures";

const PAGES = [
  "/",
  "/tools",
  "/executions",
  "/servers",
  "/runs",
  "/approvals",
  "/toolsets",
  "/skills",
  "/suites",
  "/cassettes",
  "/clients",
  "/settings",
  "/settings/audit",
  "/settings/storage",
];

test("a database of the oldest version is shown on every page, and paused where it was restored until it is made the original", async ({
  page,
  startServer,
}) => {
  test.setTimeout(120_000);
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-e2e-older-"));
  const older = path.join(folder, "older.db");
  const [oldest] = readOlderVersions("prisma/migrations");
  if (oldest === undefined) throw new Error("no version is listed");
  const { Execution = [], Tool = [] } = buildSqliteVersion(older, oldest);
  const databaseFile = path.join(folder, "toolroom.db");
  await restoreDatabase(`file:${databaseFile}`, older);
  const server = await startServer({ databaseFile });

  const paused = page.getByText("Paused: this Toolroom's database is a copy");
  for (const address of PAGES) {
    await page.goto(`${server.url}${address}`);
    await expect(page.locator("main")).not.toBeEmpty();
    await expect(paused).toBeVisible();
  }
  for (const { id, toolName } of Execution.slice(0, 3)) {
    await page.goto(`${server.url}/executions/${id}`);
    await expect(page.locator("main")).toContainText(String(toolName));
  }
  await page.goto(`${server.url}/tools/${Tool[0]?.name}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(String(Tool[0]?.name));

  await page.getByRole("button", { name: "Make this the original…" }).click();
  await page.getByRole("button", { name: "Make original" }).click();
  await expect(paused).toHaveCount(0);
  await page.goto(`${server.url}/settings/audit`);
  await expect(page.getByText("Database restored from a copy").first()).toBeVisible();
  await expect(page.getByText("Server made the original").first()).toBeVisible();
  // An open page would report that its server is away.
  await page.goto("about:blank");
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});
