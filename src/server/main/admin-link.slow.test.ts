import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { createAdminLink } from "./admin-link";
import { createContainer } from "./container";
import { createApiToken } from "./create-api-token";
import { readEnv } from "./env";
import { verifyAuditLog } from "./verify-audit-log";

const run = promisify(execFile);
const PASSWORD = "correct horse battery";
const ORIGIN = "http://127.0.0.1:3000";

it("signs an admin in by the link that a command prints while the server runs, once, and lets the token in that another prints, with entries in the intact log", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-admin-link-"));
  const variables = {
    DATABASE_URL: `file:${path.join(folder, "test.db")}`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    TOOLROOM_AUTH: "on",
  };
  const env = readEnv(variables);
  await expect(createAdminLink(env, null)).rejects.toThrow("There is no database");
  const container = await createContainer(env);
  onTestFinished(async () => {
    await container.close();
    await rm(folder, { recursive: true, force: true });
  });
  const send = async (route: string, body: object): Promise<Response> => {
    const headers = { "content-type": "application/json", origin: ORIGIN, "x-toolroom-peer": "127.0.0.1" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await container.signInRequests?.(new Request(`${ORIGIN}/api/auth/${route}`, init));
    if (response === undefined) throw new Error("no accounts");
    return response;
  };
  await expect(createAdminLink(env, null)).rejects.toThrow("There is no admin yet");
  const token = (await container.setupPath())?.split("#")[1];
  await send("link/use", { token, name: "Ada", email: "ada@example.org", password: PASSWORD });
  await expect(createAdminLink(env, "eve@example.org")).rejects.toThrow("one of ada@example.org");

  const { stdout } = await run(process.execPath, ["scripts/admin-link.mjs"], { env: { ...process.env, ...variables } });
  const link = /Sign in as ada@example\.org, once, within half an hour: (\S+)\/join#(\S+)\n/.exec(stdout);
  expect(link?.[1]).toBe(ORIGIN);
  const use = () => send("link/use", { token: link?.[2] });
  const response = await use();
  expect(await response.json()).toEqual({ email: "ada@example.org", signedIn: true });
  const cookie = response.headers.getSetCookie().map((each) => each.split(";")[0]);
  const admin = await container.access.authenticate(new Headers({ cookie: cookie.join("; ") }));
  expect(admin).toMatchObject({ name: "Ada", role: "admin" });
  expect((await use()).status).toBe(404);

  const limits = { scopes: ["run"], tools: ["echo"], servers: null };
  await expect(createApiToken(env, null, { ...limits, name: "" }, 7)).rejects.toThrow("name is required");
  await expect(createApiToken(env, "eve@example.org", { ...limits, name: "ci" }, 7)).rejects.toThrow(
    "one of ada@example.org",
  );
  const words = ["scripts/toolroom.mjs", "token", "create", "ci", "--tool", "echo", "--days", "7"];
  const printed = await run(process.execPath, words, { env: { ...process.env, ...variables } });
  expect([printed.stdout, printed.stderr]).toEqual([expect.stringMatching(/^trm_\S+\n$/), ""]);
  const bearer = new Headers({ authorization: `Bearer ${printed.stdout.trim()}` });
  expect(await container.access.authenticate(bearer)).toMatchObject({
    name: "Ada",
    token: { tools: ["echo"], scopes: ["run"] },
  });
  // The greatest age of tokens holds for the command too, whose default follows it.
  const owner = { id: "ada", name: "Ada", role: "admin" as const, token: null };
  await container.services.accessRules.save(owner, { maxTokenDays: 30, absentDays: null });
  await expect(createApiToken(env, null, { ...limits, name: "long" }, 31)).rejects.toThrow(
    "validDays must be at most 30",
  );
  const short = await createApiToken(env, null, { ...limits, name: "short" }, null);
  expect((short.token.expiresAt ?? 0) - short.token.createdAt).toBe(30 * 24 * 60 * 60_000);
  const verdict = await verifyAuditLog(env);
  expect(verdict.broken).toBeNull();
}, 60_000);
