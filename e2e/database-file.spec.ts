import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { callApi, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { SERVER_AWAY } from "./support/server";

test("EXE-06 when the database file is deleted, open pages and the health check say so, calls are refused, and the data is saved", async ({
  page,
  startServer,
  allowProblems,
}) => {
  allowProblems(SERVER_AWAY);
  const first = await startServer();
  const { id } = await runTool(first.url, "echo", { message: "kept" });
  await page.goto(`${first.url}/executions`);
  const alert = page.getByRole("alert").filter({ hasText: "Calls are refused" });
  await expect(alert).toHaveCount(0);
  await rm(first.databaseFile);

  await expect(alert).toContainText("was deleted or moved while Toolroom was running");
  await expect(alert).toContainText("All data up to that point is in");
  const health = await fetch(`${first.url}/healthz`);
  expect(health.status).toBe(503);
  expect(await health.text()).toContain("Calls are refused");
  await page.goto(`${first.url}/settings`);
  await expect(alert).toBeVisible();
  await expect(runTool(first.url, "echo", { message: "refused" })).rejects.toThrow();

  await first.stop();
  const folder = path.dirname(first.databaseFile);
  const saved = (await readdir(folder)).find((name) => name.includes(".saved-"));
  await rename(path.join(folder, saved ?? "no saved copy"), first.databaseFile);
  const second = await startServer({ databaseFile: first.databaseFile });
  expect(await callApi(second.url, "executions.get", { id }, "GET")).toMatchObject({ id, status: "succeeded" });
});
