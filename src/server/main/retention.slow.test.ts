import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { callAs } from "./api/call-as";
import { createContainer } from "./container";
import { readEnv } from "./env";
import { verifyAuditLog } from "./verify-audit-log";

const BY = LOCAL_PRINCIPAL;
const ECHO = {
  name: "echo",
  description: "Echoes",
  type: "function",
  handler: "echo",
  parameters: { type: "object" },
  implementation: { type: "builtin", handler: "echo" },
};

async function openFolder() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-retention-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [ECHO] } }));
  const url = `file:${path.join(folder, "test.db")}`;
  return readEnv({ DATABASE_URL: url, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config });
}

it("rules that an admin saves delete at once, in the background, again after a restart, and leave entries and proof", async () => {
  const env = await openFolder();
  const first = await createContainer(env);
  onTestFinished(first.close);
  const { executions, retention, auditLog } = first.services;
  for (let at = 0; at < 30; at += 1) await executions.run(BY, { tool: "echo", argumentsText: `{"at":${at}}` });
  expect(await retention.get(BY)).toMatchObject({ policy: { rules: [] }, revision: 0, sweeps: [] });
  const policy = { rules: [{ scope: "tool" as const, name: "echo", maxCount: 10 }] };
  const { findings } = await retention.preview(BY, policy);
  expect(findings).toMatchObject([{ deletes: { count: 20 }, keeps: { count: 10 }, exempt: 0 }]);
  expect((await executions.counts()).executions).toBe(30);
  expect(await callAs(first, BY).retention.save({ policy, revision: 0 })).toMatchObject({
    policy,
    revision: 1,
    savedBy: BY.name,
  });
  await expect(retention.save(BY, { rules: [] }, 0)).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining(`changed meanwhile by ${BY.name}`),
  });
  const countSweeps = async () => (await retention.get(BY)).sweeps.length;
  await waitUntil(async () => expect(await countSweeps()).toBe(1));
  expect((await retention.get(BY)).sweeps).toMatchObject([{ executions: 20, error: null }]);
  expect((await executions.counts()).executions).toBe(10);
  const { items } = await auditLog.list(BY, { action: ["retention.save", "retention.sweep"] }, undefined, 10);
  const entries = items
    .filter(({ outcome }) => outcome === "done")
    .map(({ action, actor, after }) => [action, actor.name, after]);
  expect(entries).toEqual([
    ["retention.sweep", "Toolroom", expect.stringContaining('"executions":20')],
    ["retention.save", BY.name, expect.stringContaining('"maxCount":10')],
  ]);
  await first.close();
  expect(await verifyAuditLog(env)).toMatchObject({ broken: null });

  const second = await createContainer(env);
  onTestFinished(second.close);
  await second.services.executions.run(BY, { tool: "echo", argumentsText: "{}" });
  await second.services.jobs.runNow(BY, { kind: "retention.sweep" });
  await waitUntil(async () => expect((await second.services.executions.counts()).executions).toBe(10));
});
