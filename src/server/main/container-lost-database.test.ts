import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { createContainer } from "./container";
import { readEnv } from "./env";

const ADA = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };

it("EXE-06 no call is acknowledged after the database file was deleted, and the console and the health check say why", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-lost-"));
  const databaseFile = path.join(folder, "test.db");
  const container = await createContainer(
    readEnv({ DATABASE_URL: `file:${databaseFile}`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_SHUTDOWN_GRACE_MS: "50" }),
  );
  const { executions, system } = container.services;
  await executions.run(ADA, { tool: "echo", argumentsText: '{"n":1}' });
  await rm(databaseFile);
  expect(await executions.execute("echo", {}, { actor: ADA, source: "gateway" })).toMatchObject({
    success: false,
    error: expect.stringContaining("was deleted or moved while Toolroom was running"),
  });
  expect(container.problem()).toContain("Calls are refused");
  expect((await system.info()).databaseProblem).toBe(container.problem());
  await expect(container.services.tools.setEnabled(ADA, "echo", false)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await expect(container.close()).resolves.toBeUndefined();
  await rm(folder, { recursive: true });
});
