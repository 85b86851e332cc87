import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createSecretBox } from "../platform/auth/secret-box";
import { createBulletinHub } from "../platform/coordination/bulletin.test-support";
import { describeDatabase } from "../platform/db/describe-database";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { callAs } from "./api/call-as";
import { createRestClient } from "./api/rest/rest.test-support";
import type { Container } from "./container";
import { compareInstances } from "./foundation";
import { PATIENT_TIMING, startInstances } from "./start-copies.test-support";
import { isIntact, verifyAuditLog } from "./verify-audit-log";

const PASSWORD = "correct horse battery";
const ORIGIN = "http://toolroom.test";
const KEY = "the key of the tests of copies";

/** @param copy that answers @param peer the address of the client */
async function post(
  copy: Container,
  to: string,
  body: object,
  { peer = "192.0.2.7", cookie = "" } = {},
): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    origin: ORIGIN,
    host: "toolroom.test",
    "x-toolroom-peer": peer,
    cookie,
  };
  const request = new Request(`${ORIGIN}/api/auth/${to}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await copy.signInRequests?.(request)) ?? new Response(null, { status: 404 });
}

const readCookie = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");

async function signIn(copy: Container, email: string): Promise<string> {
  const response = await post(copy, "sign-in/email", { email, password: PASSWORD });
  if (!response.ok) throw new Error(`The sign-in was refused with ${response.status}`);
  return readCookie(response);
}

const whoIs = (copy: Container, headers: Record<string, string>) =>
  copy.access.authenticate(new Headers(headers)).catch(() => null);

/** Copies with accounts, an admin and another user, who joined at different ones. */
async function startWithUsers(env: Record<string, string> = {}) {
  const { copies, start } = await startInstances(3, { env: { TOOLROOM_AUTH: "on", ...env }, timing: PATIENT_TIMING });
  const [one, two] = copies as [Container, Container, Container];
  const setup = (await one.setupPath())?.split("#")[1];
  await post(two, "link/use", { token: setup, email: "ada@example.org", name: "Ada", password: PASSWORD });
  const ada = (await whoIs(one, { cookie: await signIn(one, "ada@example.org") })) as Principal;
  const token = await two.services.people.invite(ada, { role: "editor", email: null, validDays: 1 });
  await post(one, "link/use", { token, email: "bob@example.org", name: "Bob", password: PASSWORD });
  return { copies: copies as [Container, Container, Container], start, ada };
}

describe.skipIf(!HAS_POSTGRES)("the rights of people over three instances", { timeout: 180_000 }, () => {
  it("end everywhere when the change is answered: sessions, tokens, roles, accounts", async () => {
    const { copies, ada } = await startWithUsers();
    const [one, two, three] = copies;
    const everywhere = (headers: Record<string, string>) => Promise.all(copies.map((copy) => whoIs(copy, headers)));
    const roles = async (headers: Record<string, string>) =>
      (await everywhere(headers)).map((found) => found?.role ?? null);
    const watched = copies.map((copy) => {
      const changes: (string | null)[] = [];
      onTestFinished(copy.access.onChange((userId) => void changes.push(userId)));
      return changes;
    });

    const session = { cookie: await signIn(two, "bob@example.org") };
    expect(await roles(session)).toEqual(["editor", "editor", "editor"]);
    const bob = (await whoIs(three, session)) as Principal;
    await callAs(one, ada).people.setRole({ id: bob.id, role: "viewer" });
    expect(await roles(session)).toEqual(["viewer", "viewer", "viewer"]);

    const made = await callAs(three, bob).tokens.create({
      name: "script",
      scopes: ["read"],
      tools: null,
      servers: null,
      validDays: 1,
    });
    const bearer = { authorization: `Bearer ${made.text}` };
    expect(await roles(bearer)).toEqual(["viewer", "viewer", "viewer"]);
    await callAs(two, bob).tokens.revoke({ id: made.token.id });
    expect(await everywhere(bearer)).toEqual([null, null, null]);

    for (const changes of watched) changes.length = 0;
    await callAs(one, ada).people.endSessions({ id: bob.id });
    expect(await everywhere(session)).toEqual([null, null, null]);
    // Open streams of the user ask again.
    expect(watched.map((changes) => changes.includes(bob.id))).toEqual([true, true, true]);

    const again = { cookie: await signIn(three, "bob@example.org") };
    expect((await roles(again))[0]).toBe("viewer");
    await callAs(two, ada).people.setDisabled({ id: bob.id, disabled: true });
    expect(await everywhere(again)).toEqual([null, null, null]);
  });

  it("wrong passwords and requests are counted over all instances, and an admin lifts the former on any", async () => {
    const { copies, ada } = await startWithUsers({ TOOLROOM_RATE_LIMIT: "300" });
    const wrong = { email: "bob@example.org", password: "wrong" };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => post(copies[at % 3] as Container, "sign-in/email", wrong)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
    const slowed = await Promise.all(
      copies.map(async ({ services }) => (await services.people.list(ada))[1]?.slowedUntil),
    );
    expect(slowed.every((until) => until === slowed[0] && until !== null)).toBe(true);
    const bob = (await copies[0].services.people.list(ada))[1]?.id ?? "";
    await callAs(copies[1], ada).people.unlock({ id: bob });
    const session = new Headers({ cookie: await signIn(copies[2], "bob@example.org") });

    for (let at = 0; at < 300; at += 1) await copies[0].access.enter(session);
    await waitUntil(async () => ((await copies[2].access.quota(session))?.left ?? 0) < 100);
    await expect(
      (async () => {
        for (let at = 0; at < 150; at += 1) await copies[2].access.enter(session);
      })(),
    ).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  });

  it("a link is used once, on whichever instance, and every instance's link to the first account works", async () => {
    const { copies } = await startInstances(2, { env: { TOOLROOM_AUTH: "on" }, timing: PATIENT_TIMING });
    const [one, two] = copies as [Container, Container];
    const [, token] = await Promise.all([one, two].map(async (copy) => (await copy.setupPath())?.split("#")[1]));
    const uses = await Promise.all(
      [one, two].map((copy, at) =>
        post(copy, "link/use", { token, email: `ada${at}@example.org`, name: "Ada", password: PASSWORD }),
      ),
    );
    expect(uses.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await one.setupPath()).toBeNull();
    expect(await two.setupPath()).toBeNull();
  });
});

describe.skipIf(!HAS_POSTGRES)("three instances of the server", { timeout: 180_000 }, () => {
  it("run a call once that is sent to all of them at once with one Idempotency-Key", async () => {
    const { copies } = await startInstances(3, { timing: PATIENT_TIMING });
    const run = async (copy: Container, key: string) => {
      const headers = { "idempotency-key": key };
      const body = { arguments: { text: key }, waitMs: 10_000 };
      const asked = { method: "POST", address: "/tools/echo/execute", body, headers, actor: LOCAL_PRINCIPAL } as const;
      const answer = await createRestClient(copy)(asked);
      const { id, result } = (await answer.json()) as { id: string; result: unknown };
      return { status: answer.status, id, result };
    };
    const keys = Array.from({ length: 10 }, (_, at) => `once-${at}`);
    for (const key of keys) {
      const [first, ...others] = await Promise.all(copies.map((copy) => run(copy, key)));
      expect(first).toMatchObject({ status: 200, result: { echo: { text: key } } });
      for (const other of others) expect(other).toEqual(first);
    }
    const { items = [] } = (await copies[0]?.services.executions.list({ tool: ["echo"] }, undefined, 50)) ?? {};
    expect(items.map(({ status }) => status)).toEqual(keys.map(() => "succeeded"));

    const settings = { provider: "demo", model: "demo", instructions: "", tools: { mode: "all" } };
    const starts = await Promise.all(
      copies.map(async (copy) => {
        const asked = {
          method: "POST",
          address: "/runs",
          body: { text: "hello", settings },
          actor: LOCAL_PRINCIPAL,
        } as const;
        return await (await createRestClient(copy)({ ...asked, headers: { "idempotency-key": "run" } })).json();
      }),
    );
    expect(starts[1]).toEqual(starts[0]);
    expect(starts[2]).toEqual(starts[0]);
    expect((await copies[0]?.services.runs.list({}, undefined, 10))?.items).toMatchObject([starts[0]]);
  });

  it("write one audit log, whose end each machine knows, and which is intact afterwards", async () => {
    const folders = await Promise.all([1, 2].map(() => mkdtemp(path.join(os.tmpdir(), "toolroom-machine-"))));
    onTestFinished(async () => {
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });
    const { copies, url, start } = await startInstances(1, { timing: PATIENT_TIMING });
    const add = (copy: Container, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          callAs(copy, LOCAL_PRINCIPAL).tools.setLens({ name: "echo", expression: `value_${at}` }),
        ),
      );
    await add(copies[0] as Container, 3);
    // Other machines, which have no file yet.
    for (const folder of folders) copies.push(await start({ TOOLROOM_DATA: folder }));
    await Promise.all(copies.map((copy) => add(copy, 20)));
    const found = await copies[0]?.services.auditLog.list(
      LOCAL_PRINCIPAL,
      { action: ["audit.damaged"] } as never,
      undefined,
      10,
    );
    expect((found as { items: unknown[] } | undefined)?.items).toEqual([]);
    await Promise.all(copies.splice(1).map((copy) => copy.close()));
    for (const folder of folders) {
      const database = describeDatabase(url, "/", folder);
      const verdict = await verifyAuditLog({ database, secretKey: KEY });
      expect(isIntact(verdict), JSON.stringify(verdict.broken ?? verdict.anchor)).toBe(true);
      expect(verdict.count).toBeGreaterThanOrEqual(63);
    }
  });

  it("refuse one that works with another secret key, and say what to do", async () => {
    const { start } = await startInstances(1, { timing: PATIENT_TIMING });
    await expect(start({ TOOLROOM_SECRET_KEY: "another key of the tests" })).rejects.toThrow(
      /works with another secret key than TOOLROOM_SECRET_KEY of this one\. Set TOOLROOM_SECRET_KEY to the same value on all copies/,
    );
  });
});

it("an instance with another configuration than the living ones names what differs, without a value of it", async () => {
  const hub = createBulletinHub();
  const secretBox = await createSecretBox({ secretKey: KEY, keyFile: "/nowhere" });
  const join = async (name: string, content: object, publicUrl: string | null) => {
    const logger = { ...console, warn: vi.fn(), debug: vi.fn(), info: vi.fn(), error: vi.fn() };
    const copies = { self: { id: name, name } };
    const env = { publicUrl, rateLimit: 600, oidc: {}, apiToken: "trm_secret" };
    const config = { content, mcpServers: {} };
    const parts = {
      coordination: { copies, bulletin: hub.join(name) },
      env,
      config,
      mode: { accounts: false },
      secretBox,
      logger,
    };
    await compareInstances(parts as never);
    return logger.warn.mock.calls;
  };
  expect(await join("one", { tools: 1 }, null)).toEqual([]);
  expect(await join("two", { tools: 1 }, null)).toEqual([]);
  const [first] = await join("three", { tools: 2 }, "https://tools.example.org");
  expect(first?.[1]).toBe(
    "This copy of the server has other settings than one: make the configuration file, TOOLROOM_PUBLIC_URL the same on all copies and restart them",
  );
  expect(JSON.stringify(first)).not.toMatch(/trm_secret|example\.org/);
});
