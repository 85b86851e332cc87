import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, it, onTestFinished } from "vitest";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { WebhookInput } from "../../../lib/contract/webhook";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { callAs } from "../../main/api/call-as";
import { createContainer } from "../../main/container";
import { readEnv } from "../../main/env";

const BY = LOCAL_PRINCIPAL;
const VISITOR = { userId: null, origin: { door: "rest", address: "192.0.2.7" } } as const;
const tool = (name: string, handler: string) => ({
  name,
  description: name,
  type: "function",
  handler: name,
  parameters: { type: "object" },
  implementation: { type: "builtin", handler },
});

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver that answers as told. */
async function receive() {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.statusCode = answers.shift() ?? 204;
      response.setHeader("location", "http://169.254.169.254/");
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    received,
    answers,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=secret-part`,
  };
}

async function open(variables: Record<string, string> = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-webhooks-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(
    config,
    JSON.stringify({ tools: { registry: [tool("echo", "echo"), tool("asking", "echo"), tool("broken", "none")] } }),
  );
  const file = path.join(folder, "test.db");
  const env = readEnv({
    DATABASE_URL: `file:${file}`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: config,
    ...variables,
  });
  const start = async () => {
    const container = await createContainer(env);
    onTestFinished(container.close);
    return container;
  };
  return { container: await start(), start, file };
}

const input = (url: string, more: Partial<WebhookInput> = {}): WebhookInput => ({
  url,
  description: "",
  events: ["execution.failed"],
  tools: [],
  enabled: true,
  approverId: null,
  ...more,
});

it("a failed call is sent once, signed as Standard Webhooks says, without arguments, and other events are not", async () => {
  const { received, url } = await receive();
  const { container, file } = await open();
  const { webhooks, executions } = container.services;
  const { id, secret } = await callAs(container, BY).webhooks.create({ webhook: input(url, { tools: ["broken"] }) });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await executions.run(BY, { tool: "echo", argumentsText: "{}" });
  const failed = await executions.run(BY, { tool: "broken", argumentsText: '{"password":"hunter2-hunter2"}' });
  await waitUntil(async () =>
    expect(await webhooks.deliveries(BY, id)).toMatchObject([{ status: "delivered", attempts: 1 }]),
  );
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [Received];
  const verified = new Verifier(secret).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({ type: "execution.failed", data: { execution: failed.id, tool: "broken" } });
  expect(() => new Verifier(secret).verify(`${body} `, headers as Record<string, string>)).toThrow(
    "No matching signature",
  );
  expect(body).not.toContain("hunter2");

  expect(JSON.stringify(await webhooks.list(BY))).not.toContain(secret.slice(6));
  const raw = new Sqlite(file, { readonly: true });
  onTestFinished(() => void raw.close());
  expect(JSON.stringify(raw.prepare('SELECT * FROM "Webhook"').all())).not.toContain(secret.slice(6));
  const { items } = await container.services.auditLog.list(BY, { action: ["webhooks.create"] }, undefined, 10);
  expect(items).toMatchObject([{ target: { kind: "webhook", name: id }, outcome: "done" }]);
  expect(JSON.stringify(items)).not.toMatch(/secret-part|whsec_/);
});

it("a failed delivery is sent again with its id, also after a restart and by hand; redirects are not followed", async () => {
  const { received, answers, url } = await receive();
  const { container, start, file } = await open();
  const { webhooks, executions } = container.services;
  const { id } = await webhooks.create(BY, input(url));
  answers.push(302);
  await executions.run(BY, { tool: "broken", argumentsText: "{}" });
  const list = async (services = container.services) => await services.webhooks.deliveries(BY, id);
  await waitUntil(async () =>
    expect(await list()).toMatchObject([{ status: "pending", attempts: 1, responseStatus: 302 }]),
  );
  const [{ nextAt, lastAt, error }] = (await list()) as [Awaited<ReturnType<typeof list>>[number]];
  expect(error).toContain("redirects are not followed");
  expect((nextAt ?? 0) - (lastAt ?? 0)).toBeGreaterThanOrEqual(5_000);
  await container.close();
  const raw = new Sqlite(file);
  raw.exec('UPDATE "WebhookDelivery" SET "nextAt" = 1');
  raw.close();
  const { services } = await start();
  await waitUntil(async () => expect(await list(services)).toMatchObject([{ status: "delivered", attempts: 2 }]));
  await services.webhooks.retry(BY, (await list(services))[0]?.id ?? "");
  await waitUntil(() => expect(received).toHaveLength(3));
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

it("a receiver that is gone is disabled with a reason, an entry and no further requests; enabling it begins again", async () => {
  const { received, answers, url } = await receive();
  const { container } = await open();
  const { webhooks, executions, auditLog } = container.services;
  const { id } = await webhooks.create(BY, input(url));
  answers.push(410);
  await executions.run(BY, { tool: "broken", argumentsText: "{}" });
  await waitUntil(async () => expect(await webhooks.list(BY)).toMatchObject([{ enabled: false }]));
  expect(await webhooks.list(BY)).toMatchObject([{ disabledReason: expect.stringContaining("answered 410") }]);
  const { items } = await auditLog.list(BY, { action: ["webhooks.disable"] }, undefined, 10);
  expect(items).toMatchObject([{ target: { kind: "webhook", name: id }, actor: { name: "Toolroom" } }]);
  await executions.run(BY, { tool: "broken", argumentsText: "{}" });
  expect(await webhooks.deliveries(BY, id)).toHaveLength(1);
  await expect(webhooks.test(BY, id)).rejects.toThrow("enable it first");
  expect(await webhooks.update(BY, id, input(url))).toMatchObject({ enabled: true, disabledReason: null });
  expect(await webhooks.test(BY, id)).toMatchObject({ event: "test", status: "delivered", responseStatus: 204 });
  expect(received).toHaveLength(2);
});

it("requests for approval are told too; a rotated secret signs from then on", async () => {
  const { received, url } = await receive();
  const { container } = await open();
  const { webhooks, executions } = container.services;
  const made = await webhooks.create(BY, input(url, { events: ["approval.requested"] }));
  await container.services.tools.setApproval(BY, "asking", "always");
  const waiting = executions.run(BY, { tool: "asking", argumentsText: "{}", waitMs: 100 });
  await waitUntil(() => expect(received).toHaveLength(1));
  await waiting;
  expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({
    type: "approval.requested",
    data: { tool: "asking", status: "waiting" },
  });
  const { secret } = await webhooks.rotateSecret(BY, made.id);
  await webhooks.test(BY, made.id);
  const { body, headers } = received[1] as Received;
  expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: "test" });
  expect(() => new Verifier(made.secret).verify(body, headers as Record<string, string>)).toThrow();
});

it("a link in a request for approval decides once, as the user that an admin chose, and the audit log says that it was a link", async () => {
  const { received, url } = await receive();
  const { container, file } = await open({
    TOOLROOM_AUTH: "off",
    TOOLROOM_PUBLIC_URL: "https://tools.example.com",
    TOOLROOM_PRIVATE_ADDRESSES: "allow",
  });
  const { webhooks, executions, approvals, auditLog, tools } = container.services;
  const events = ["approval.requested" as const];
  await expect(webhooks.create(BY, input(url, { events, approverId: "nobody" }))).rejects.toThrow(
    "must be an active user",
  );
  const { id } = await webhooks.create(BY, input(url, { events, approverId: BY.id }));
  await tools.setApproval(BY, "asking", "always");
  const waiting = executions.run(BY, { tool: "asking", argumentsText: '{"secretive":"argument"}', waitMs: 60_000 });
  await waitUntil(() => expect(received).toHaveLength(1));
  const { approve } = JSON.parse(received[0]?.body ?? "").data;
  expect(approve).toMatch(/^https:\/\/tools\.example\.com\/approve#[\w-]+\.[\w-]+$/);
  expect(Buffer.from(new URL(approve).hash.slice(1), "base64url").toString()).not.toContain("argument");
  expect((await webhooks.deliveries(BY, id))[0]?.body).toContain('"approve":"(approval link)"');
  const token = new URL(approve).hash.slice(1);
  expect(await container.approvalLinks.view(token, VISITOR)).toMatchObject({
    item: { toolName: "asking", status: "open" },
  });
  expect(await container.approvalLinks.decide(token, { approved: true }, VISITOR)).toMatchObject({ decided: true });
  const { id: call } = await waiting;
  await waitUntil(async () => expect(await executions.get(call)).toMatchObject({ status: "succeeded" }));
  await expect(container.approvalLinks.decide(token, { approved: false }, VISITOR)).rejects.toThrow("used before");
  const { items } = await auditLog.list(BY, { action: ["approvals.decide"] }, undefined, 10);
  expect(items).toMatchObject([{ actor: { id: BY.id }, token: "Approval link", address: "192.0.2.7" }]);
  expect(await approvals.linkUses(BY)).toMatchObject([{ executionId: call, status: "approved", address: "192.0.2.7" }]);
  await waitUntil(() => expect(received).toHaveLength(2));
  expect(JSON.parse(received[1]?.body ?? "")).toMatchObject({
    type: "approval.link_used",
    data: { execution: call, tool: "asking", status: "approved", address: "192.0.2.7" },
  });
  const raw = new Sqlite(file, { readonly: true });
  onTestFinished(() => void raw.close());
  const tables = raw.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  for (const table of tables)
    expect(JSON.stringify(raw.prepare(`SELECT * FROM "${table}"`).all())).not.toContain(token);
});

it("addresses follow the rule of outgoing connections", async () => {
  const { received, url } = await receive();
  const { container } = await open({ TOOLROOM_PRIVATE_ADDRESSES: "deny" });
  const { webhooks } = container.services;
  const { id } = await webhooks.create(BY, input(url));
  const sent = await webhooks.test(BY, id);
  expect(sent).toMatchObject({ status: "failed", error: expect.stringContaining("TOOLROOM_PRIVATE_ADDRESSES") });
  expect(received).toHaveLength(0);
});

it("an address is stored encrypted and shown by its origin, in lists, answers, the audit log, errors and deliveries", async () => {
  const { received, answers, url } = await receive();
  const { container, start, file } = await open();
  const { auditLog } = container.services;
  const { webhooks } = callAs(container, BY);
  const { origin } = new URL(url);
  const made = await webhooks.create({ webhook: input(url) });
  expect(made.url).toBe(origin);
  const edit = { description: "for ops", events: ["run.failed" as const], tools: [], enabled: true, approverId: null };
  // Without an address, and with the one that is shown, an edit keeps what is stored.
  for (const kept of [edit, { ...edit, url: origin }]) {
    expect(await webhooks.update({ id: made.id, webhook: kept })).toMatchObject({
      url: origin,
      description: "for ops",
    });
    answers.push(500);
    expect(await webhooks.test({ id: made.id })).toMatchObject({ responseStatus: 500 });
  }
  expect(received).toHaveLength(2);
  const said = async (services = container.services) =>
    JSON.stringify([
      await services.webhooks.list(BY),
      await services.webhooks.deliveries(BY, made.id),
      await services.auditLog.list(BY, {}, undefined, 50),
    ]);
  expect(await said()).not.toContain("secret-part");
  const webhook = { ...edit, url: "http://127.0.0.1:9/moved?token=second-part" };
  const replaced = await webhooks.update({ id: made.id, webhook });
  expect(replaced.url).toBe("http://127.0.0.1:9");
  const failed = await webhooks.test({ id: made.id });
  expect(failed).toMatchObject({ status: "failed", responseStatus: null });
  expect(JSON.stringify([failed, await said(), await auditLog.list(BY, {}, undefined, 50)])).not.toMatch(
    /second-part|moved/,
  );
  await container.close();
  const raw = new Sqlite(file);
  const [row] = raw.prepare('SELECT url FROM "Webhook"').all() as { url: string }[];
  expect(row?.url).toMatch(/^v1\./);
  // As an earlier version stored it.
  raw.prepare('UPDATE "Webhook" SET url = ?').run(url);
  raw.close();
  const again = await start();
  const [listed] = await again.services.webhooks.list(BY);
  expect(listed?.url).toBe(origin);
  await again.services.webhooks.test(BY, made.id);
  expect(received).toHaveLength(3);
  const after = new Sqlite(file, { readonly: true });
  onTestFinished(() => void after.close());
  expect(JSON.stringify(after.prepare('SELECT url FROM "Webhook"').all())).not.toContain("secret-part");
});
