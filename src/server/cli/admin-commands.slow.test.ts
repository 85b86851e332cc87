import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, serveRest } from "./commands.test-support";

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
const receiver = createServer((request, response) => {
  response.statusCode = request.url === "/refuses" ? 500 : 204;
  request.resume().on("end", () => response.end());
});

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-admin-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [] } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  server = await serveRest(container);
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await server.close();
  await container.close();
});

const run = (...words: string[]) => runWords(words, { env: { TOOLROOM_URL: server.url } });
const runJson = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);
const toUrl = (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;

it("toolroom clients and registry say what there is, and name a client that is not known", async () => {
  expect(await run("clients", "list")).toMatchObject({ code: 0, stderr: expect.stringContaining("No clients yet") });
  expect(await run("clients", "why", "nobody", "echo")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("nobody"),
  });
  expect(await run("clients", "show", "nobody")).toMatchObject({ code: 3 });
  expect(await run("clients", "lists", "nobody", "--day", "2026-13-01")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--day must be a date"),
  });
  expect(await run("registry")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/local\.toolroom\/toolroom\s+1\.0\.\d+\s+http/),
    stderr: expect.stringContaining("members"),
  });
  expect(await runJson("registry")).toMatchObject({ settings: { access: "members" }, refused: [] });
});

it("toolroom access shows and sets each rule on its own, and names what it cannot take", async () => {
  const words = /New API tokens: +90 days at most\nAbsent accounts switched off: +never\n/;
  expect(await run("access", "show")).toMatchObject({ code: 0, stdout: expect.stringMatching(words) });
  expect(await run("access", "set")).toMatchObject({ code: 2, stderr: expect.stringContaining("--token-days") });
  for (const days of ["0", "1.5", "4000", "never"]) {
    const refused = { code: 2, stderr: expect.stringContaining("1 to 3650, or off") };
    expect([days, await run("access", "set", "--token-days", days)]).toEqual([days, expect.objectContaining(refused)]);
  }
  expect(await run("access", "set", "--absent-days", "60")).toMatchObject({ code: 0 });
  expect(await runJson("access", "set", "--token-days", "off")).toMatchObject({
    rules: { maxTokenDays: null, absentDays: 60 },
    revision: 2,
  });
  expect(await runJson("access", "show")).toMatchObject({ rules: { maxTokenDays: null, absentDays: 60 } });
  const put = (body: object, query = "") =>
    fetch(`${server.url}/api/v1/access-rules${query}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const half = await put({ maxTokenDays: 5 });
  expect([half.status, await half.text()]).toEqual([400, expect.stringContaining("absentDays")]);
  expect((await put({ maxTokenDays: 5, absentDays: null }, "?revision=1")).status).toBe(409);
  expect((await put({ maxTokenDays: 0, absentDays: null })).status).toBe(400);
});

describe("toolroom webhooks", () => {
  it("adds one with its secret alone on stdout, tests it, lists and repeats deliveries, and removes it", async () => {
    expect(await run("webhooks", "list")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("add"),
    });
    expect(await run("webhooks", "add", toUrl("/"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--event"),
    });
    const added = await run("webhooks", "add", toUrl("/"), "--event", "run.failed", "--description", "for ops");
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
    const { items } = await runJson("webhooks", "list");
    expect(items).toMatchObject([
      { url: new URL(toUrl("/")).origin, events: ["run.failed"], description: "for ops", lastDelivery: null },
    ]);
    const [{ id }] = items;
    expect(await run("webhooks", "test", id)).toMatchObject({
      code: 0,
      stdout: "Delivered: the receiver answered 204.\n",
    });
    const deliveries = await runJson("webhooks", "deliveries", id);
    expect(deliveries.items).toMatchObject([{ event: "test", status: "delivered", attempts: 1 }]);
    expect((await run("webhooks", "deliveries", id)).stdout).toMatch(/EVENT[\s\S]*test\s+delivered/);
    expect(await run("webhooks", "redeliver", deliveries.items[0].id)).toMatchObject({ code: 0 });
    await waitUntil(async () =>
      expect((await runJson("webhooks", "deliveries", id)).items).toMatchObject([{ status: "delivered", attempts: 1 }]),
    );
    expect(await run("webhooks", "remove", id)).toMatchObject({ code: 0, stdout: `Removed ${id}.\n` });
    expect(await run("webhooks", "test", id)).toMatchObject({ code: 3 });
    expect(await run("webhooks", "redeliver", "msg_unknown")).toMatchObject({ code: 3 });
  });

  it("says why a test was not delivered, and exits with 1", async () => {
    const { id, secret } = await runJson("webhooks", "add", toUrl("/refuses"), "--event", "change.held");
    expect(secret).toMatch(/^whsec_/);
    expect(await run("webhooks", "test", id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("answered 500"),
    });
    expect((await run("webhooks", "list")).stdout).toMatch(/enabled\s+failed/);
    expect(await run("webhooks", "add", "ftp://example.com", "--event", "change.held")).toMatchObject({ code: 2 });
  });
});

describe("toolroom retention", () => {
  it("previews a rule before it is set, sets, shows and removes it, and starts a sweep", async () => {
    expect((await run("retention", "show")).stdout).toBe("No rules: nothing is deleted.\n");
    const preview = await runJson("retention", "preview", "other", "--days", "90", "--size", "1.5GiB");
    expect(preview.findings).toMatchObject([{ rule: { scope: "other", maxAgeDays: 90, maxBytes: 1.5 * 2 ** 30 } }]);
    expect((await runJson("retention", "show")).policy.rules).toEqual([]);
    await run("retention", "set", "other", "--days", "90");
    expect((await run("retention", "set", "tool", "get_weather", "--keep")).stdout).toMatch(
      /tool get_weather\s+keep all/,
    );
    await run("retention", "set", "other", "--count", "5");
    const { policy, revision } = await runJson("retention", "show");
    expect(policy.rules).toEqual([
      { scope: "tool", name: "get_weather" },
      { scope: "other", maxCount: 5 },
    ]);
    expect(revision).toBe(3);
    expect((await run("retention", "preview")).stdout).toMatch(/WOULD DELETE[\s\S]*other\s+5 newest\s+0 \(0 B\)/);
    expect(await run("retention", "run")).toMatchObject({ code: 0 });
    await waitUntil(async () => expect((await run("retention", "show")).stdout).toMatch(/SWEEP\s+CALLS/));
    expect((await run("retention", "set", "other", "--remove")).stdout).not.toContain("5 newest");
  });

  it("names what is wrong with a rule, and does not overwrite what was changed meanwhile", async () => {
    const wrong = async (...words: string[]) => await run("retention", "set", ...words);
    expect(await wrong("everything", "--days", "1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no scope"),
    });
    expect(await wrong("other")).toMatchObject({ code: 2, stderr: expect.stringContaining("--keep") });
    expect(await wrong("other", "--days", "1", "--remove")).toMatchObject({ code: 2 });
    expect(await wrong("other", "--size", "2 apples")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("GiB"),
    });
    expect(await wrong("tool", "--days", "1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is required"),
    });
    expect(await wrong("runs", "--remove")).toMatchObject({ code: 2, stderr: expect.stringContaining("no rule") });
    const late = await fetch(`${server.url}/api/v1/retention?revision=0`, {
      method: "PUT",
      body: JSON.stringify({ rules: [] }),
      headers: { "content-type": "application/json" },
    });
    expect(late.status).toBe(409);
  });
});

describe("toolroom jobs", () => {
  it("lists the queues, and runs what waits", async () => {
    const { items } = await runJson("jobs", "list");
    expect(items).toContainEqual(expect.objectContaining({ kind: "retention.sweep", waiting: 1 }));
    expect((await run("jobs", "list")).stdout).toMatch(/KIND\s+WAITING[\s\S]*executions\.digest\s+1/);
    const started = await run("jobs", "run", "executions.digest");
    expect(started).toMatchObject({ code: 0, stdout: "Started 1 job of executions.digest.\n" });
    expect(await run("jobs", "run", "webhooks.deliver", "msg_unknown")).toMatchObject({ code: 4 });
    expect(await run("jobs", "run", "nothing")).toMatchObject({ code: 3 });
  });
});
