import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { SEARCH_SUFFIX } from "../platform/db/private-files";
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

async function open(tools = [ECHO, { ...ECHO, name: "other" }]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-delete-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: tools } }));
  const file = path.join(folder, "test.db");
  const env = readEnv({ DATABASE_URL: `file:${file}`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config });
  const container = await createContainer(env);
  const { services } = container;
  onTestFinished(container.close);
  const raw = new Database(file, { readonly: true });
  onTestFinished(() => void raw.close());
  const run = async (tool: string, text: string) =>
    (await services.executions.run(BY, { tool, argumentsText: JSON.stringify({ text }) })).id;
  /** How many calls the search index has that have the characters. */
  const countIndexed = (trigram: string): number => {
    const index = new Database(file + SEARCH_SUFFIX, { readonly: true });
    const found = index.prepare("SELECT count(*) FROM Texts WHERE Texts MATCH ?").pluck().get(trigram);
    index.close();
    return Number(found);
  };
  return { services, raw, run, env, countIndexed, as: (actor: typeof BY) => callAs(container, actor) };
}

it("an admin deletes what matches a filter, with its index, and keeps pinned calls unless asked", async () => {
  const { services, run, as, countIndexed } = await open();
  const { executions } = services;
  for (let at = 0; at < 120; at += 1) await run("echo", `needle ${at}`);
  const pinned = await run("echo", "needle pinned");
  const other = await run("other", "needle other");
  await executions.setPinned(BY, pinned, true);
  await waitUntil(() => expect(countIndexed("nee")).toBe(122));
  const choice = { filter: { tool: ["echo"] }, includePinned: false };
  expect(await executions.deletionPreview(BY, choice)).toEqual({ count: 120, more: false, keptPinned: 1 });
  const outcome = await as(BY).executions.delete(choice);
  expect(outcome).toMatchObject({ deleted: 120, more: false, firstSeq: 1, lastSeq: 120 });
  const left = await executions.list({ q: "needle" }, undefined, 50);
  expect(left.items.map(({ id }) => id)).toEqual([other, pinned]);
  await waitUntil(() => expect(countIndexed("nee")).toBe(2));
  const { items } = await services.auditLog.list(BY, { action: ["executions.delete"] }, undefined, 10);
  expect(JSON.stringify(items)).toContain(outcome.idsHash);
  expect(items[0]).toMatchObject({ target: { kind: "execution", name: "120 deleted" } });
});

it("a deletion of chosen calls is accounted for in the chain of digests", async () => {
  const { services, raw, run, env } = await open();
  const ids = [await run("echo", "a"), await run("echo", "b"), await run("other", "c")];
  await services.executions.setPinned(BY, ids[0] as string, true);
  expect(await services.executions.delete(BY, { ids, includePinned: true })).toMatchObject({ deleted: 3 });
  expect(raw.prepare('SELECT count(*) FROM "Execution"').pluck().get()).toBe(0);
  expect(raw.prepare(`SELECT count(*) FROM "ExecutionDigest" WHERE kind = 'deleted'`).pluck().get()).toBe(1);
  expect(await verifyAuditLog(env)).toMatchObject({ broken: null });
});

it("a deletion says that something has to be chosen, and needs an admin", async () => {
  const { as } = await open();
  await expect(as(BY).executions.delete({ includePinned: false })).rejects.toThrow("choose what to delete");
  const editor = { ...BY, role: "editor" as const };
  await expect(as(editor).executions.delete({ filter: {}, includePinned: false })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
});

it("a deletion by a filter that names an execution keeps it where it is pinned or does not match", async () => {
  const { services, run } = await open();
  const { executions } = services;
  const pinned = await run("echo", "a");
  const other = await run("other", "b");
  await executions.setPinned(BY, pinned, true);
  const byName = { filter: { q: pinned }, includePinned: false };
  const outcomes = [
    await executions.delete(BY, byName),
    await executions.delete(BY, { filter: { q: other, tool: ["echo"] }, includePinned: false }),
  ];
  expect(outcomes.map(({ deleted }) => deleted)).toEqual([0, 0]);
});
