import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import type { AuditEntry } from "../../lib/contract/audit-entry";
import { waitUntil } from "../../lib/wait-until.test-support";
import { callAs } from "./api/call-as";
import { createRestClient } from "./api/rest/rest.test-support";
import { type Container, createContainer } from "./container";
import { type Env, readEnv } from "./env";
import { verifyAuditLog } from "./verify-audit-log";

let container: Container;
let env: Env;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-audit-"));
  env = readEnv({ DATABASE_URL: `file:${folder}/audit.db`, TOOLROOM_LOG_LEVEL: "silent" });
  container = await createContainer(env);
});
afterAll(() => container.close());

const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", origin: { door: "rest", address: "10.0.0.7" } };

const ask = (address: string) => createRestClient(container)({ method: "GET", address, actor: ADA });

/** Lists what was recorded since the last call, oldest first: action, target, before and after. */
let seen = 0;
async function newEntries(): Promise<[string, string | undefined, unknown, unknown][]> {
  const { items } = await container.services.auditLog.list(ADA, {}, undefined, 200);
  const fresh = items.filter(({ seq }) => seq > seen).reverse();
  seen = items[0]?.seq ?? seen;
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return fresh.map(({ action, target, before, after }) => [action, target?.name, parsed(before), parsed(after)]);
}

const buildDefinition = (name: string, description: string) => ({
  name,
  description,
  type: "function",
  handler: "greet",
  parameters: { type: "object", properties: {} },
  implementation: { type: "mock", mock_response: "hi" },
});

describe("entries of real changes", () => {
  it("hold a tool before and after, under its new name too", async () => {
    const { tools } = callAs(container, ADA);
    const one = buildDefinition("greet", "Greets");
    const two = buildDefinition("greet_all", "Greets everyone");
    await tools.create({ definition: JSON.stringify(one) });
    await tools.update({ name: "greet", definition: JSON.stringify(two) });
    await tools.setEnabled({ name: "greet_all", enabled: false });
    await tools.setApproval({ name: "greet_all", mode: "always" });
    const { id } = await tools.delete({ name: "greet_all" });
    await tools.restore({ id });
    const approval = (mode: string | null) => ({ approval: expect.objectContaining({ mode }) });
    expect(await newEntries()).toEqual([
      ["tools.create", "greet", null, { enabled: true, definition: expect.objectContaining(one) }],
      [
        "tools.update",
        "greet_all",
        { enabled: true, definition: expect.objectContaining(one) },
        { enabled: true, definition: expect.objectContaining(two) },
      ],
      ["tools.setEnabled", "greet_all", { enabled: true }, { enabled: false }],
      ["tools.setApproval", "greet_all", approval(null), approval("always")],
      ["tools.delete", "greet_all", expect.objectContaining({ enabled: false }), null],
      ["tools.restore", "greet_all", null, expect.objectContaining({ enabled: false })],
    ]);
  });

  it("hold servers and model providers without their secrets, and say which were replaced", async () => {
    const { models, servers } = callAs(container, ADA);
    const settings = (value: string, url = "http://127.0.0.1:9/mcp") => ({
      name: "files",
      transport: "http" as const,
      url,
      headers: [{ name: "X-Key", value }],
    });
    await servers.create({ settings: settings("first-secret"), enabled: false });
    await servers.update({ name: "files", settings: settings("second-secret", "http://127.0.0.1:10/mcp") });
    const provider = { name: "acme", kind: "openai" as const, models: [], prices: [] };
    await models.createProvider({ provider: { ...provider, apiKey: "sk-first-secret" } });
    const changed = { ...provider, apiKey: "sk-second-secret", models: ["big"] };
    await models.updateProvider({ name: "acme", provider: changed });
    await models.deleteProvider({ name: "acme" });
    const entries = await newEntries();
    expect(JSON.stringify(entries)).not.toMatch(/first-secret|second-secret/);
    const at = (url: string) => ({ enabled: false, settings: expect.objectContaining({ url }) });
    expect(entries).toEqual([
      ["servers.create", "files", null, at("http://127.0.0.1:9/mcp")],
      [
        "servers.update",
        "files",
        at("http://127.0.0.1:9/mcp"),
        { ...at("http://127.0.0.1:10/mcp"), valuesReplaced: ["X-Key"] },
      ],
      ["models.createProvider", "acme", null, expect.objectContaining({ keyReplaced: true })],
      [
        "models.updateProvider",
        "acme",
        expect.objectContaining({ models: [] }),
        expect.objectContaining({ models: ["big"], keyReplaced: true }),
      ],
      ["models.deleteProvider", "acme", expect.objectContaining({ models: ["big"] }), null],
    ]);
  });

  it("hold invitations, transcripts, decisions and exports, and no link", async () => {
    const { approvals, executions } = container.services;
    const { people, transcripts, tools } = callAs(container, ADA);
    const link = await people.invite({ email: "bob@example.org", role: "viewer", validDays: 1 });
    const [invitation] = await people.invitations();
    await people.revokeInvitation({ id: invitation?.id ?? "" });
    const wakePhrases = ["hey toolroom"];
    const settings = { title: "Standup", wakePhrases, provider: "demo", model: "demo" };
    const { id } = await transcripts.create({ settings });
    await tools.setEnabled({ name: "greet_all", enabled: true });
    const executionId = "exec_auditrules1";
    const running = executions.run(ADA, { tool: "greet_all", argumentsText: "{}", executionId });
    await waitUntil(async () => expect((await approvals.get(executionId)).status).toBe("open"));
    await callAs(container, ADA).approvals.decide({ executionId, decision: { approved: false, reason: "not now" } });
    await running;
    await ask("/audit/export?format=csv&outcome=denied");
    const entries = await newEntries();
    expect(JSON.stringify(entries)).not.toContain(link);
    expect(entries).toEqual([
      ["people.invite", "bob@example.org", null, { email: "bob@example.org", role: "viewer", validDays: 1 }],
      ["people.revokeInvitation", invitation?.id, expect.objectContaining({ email: "bob@example.org" }), null],
      ["transcripts.create", id, null, expect.objectContaining({ title: "Standup" })],
      ["tools.setEnabled", "greet_all", { enabled: false }, { enabled: true }],
      [
        "approvals.decide",
        executionId,
        null,
        {
          tool: "greet_all",
          approved: false,
          reason: "not now",
          argumentsEdited: false,
          decided: true,
          status: "rejected",
        },
      ],
      ["auditLog.export", "csv", null, { filter: { outcome: "denied" } }],
    ]);
  });

  it("are listed over REST in pages, newest first, by the filters of the console", async () => {
    const read = async (more: string) =>
      (await (
        await ask(`/audit?action=tools.setEnabled&action=tools.delete&since=2026-01-01&limit=1${more}`)
      ).json()) as {
        items: AuditEntry[];
        nextCursor: string;
      };
    const first = await read("");
    expect([first.items.map(({ action }) => action), typeof first.nextCursor]).toEqual([
      ["tools.setEnabled"],
      "string",
    ]);
    const second = await read(`&cursor=${first.nextCursor}`);
    expect(second.items.map(({ action }) => action)).toEqual(["tools.delete"]);
    expect(await (await ask("/audit/facets")).json()).toMatchObject({ actors: [{ id: "ada" }] });
  });

  it("say who it was and from where, and their chain is intact while the server runs", async () => {
    const { items } = await container.services.auditLog.list(ADA, {}, undefined, 200);
    const origins = items.map(({ actor, door, address }: AuditEntry) => [actor.name, door, address]);
    expect(new Set(origins.map(String))).toEqual(new Set(["Ada,rest,10.0.0.7"]));
    expect(await verifyAuditLog(env)).toMatchObject({ count: items.length, broken: null });
  });
});
