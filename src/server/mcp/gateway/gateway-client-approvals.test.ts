import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import { waitUntil } from "../../../lib/wait-until.test-support";
import {
  ALICE,
  startServer,
  type TestServer,
  type TestServerOptions,
  WIPE,
} from "../../calls/approvals/approval.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import {
  type AnswerForm,
  APPROVE,
  buildPrincipal,
  createHeldAnswer,
  type FormClient,
  openCallerApprovals,
  openFormClient,
  REVISIONS,
  type Revision,
} from "./client-approvals.test-support";
import { buildCall, post, startGateway, type TestGateway } from "./gateway.test-support";
import type { GatewayLimits } from "./gateway-ports";

let scratch: ScratchDatabase;
let server: TestServer;
let gateway: TestGateway;
let approvals: ReturnType<typeof openCallerApprovals>;
let principal: Principal;
const clients: FormClient[] = [];

interface StartOptions extends TestServerOptions {
  limits?: Partial<GatewayLimits>;
  readRole?: Parameters<typeof openCallerApprovals>[1];
}

async function start({ limits = {}, readRole, ...options }: StartOptions = {}): Promise<void> {
  server = await startServer(scratch.db, options);
  approvals = openCallerApprovals(server, readRole);
  gateway = await startGateway({
    ports: {
      executor: server.executions,
      tools: () => server.engine.registry.list(),
      approvals: approvals.port,
      authenticate: () => principal,
      limits,
    },
  });
}
beforeEach(async () => {
  principal = buildPrincipal({});
  scratch = await createScratchDatabase();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await server.stop();
  await gateway.close();
  await scratch.remove();
});

async function connect(revision: Revision, answer?: AnswerForm): Promise<FormClient> {
  const client = await openFormClient(gateway.url, revision, answer);
  clients.push(client);
  return client;
}
const ARGS = { folder: "/old" };
const listOpen = async () => (await server.approvals.list("open", undefined, 300)).items;
/** The id of the call that waits. */
async function waiting(): Promise<string> {
  await waitUntil(async () => (await listOpen()).length === 1, { what: "the request for approval" });
  return (await listOpen())[0]?.executionId ?? "";
}
const only = async () => (await server.approvals.list("decided", undefined, 10)).items[0];

describe.each(REVISIONS)("an approval in the window of a client of %s", (revision) => {
  it("AGT-05 asks with the tool and its arguments, and runs the call once its user approves", async () => {
    await start();
    const held = createHeldAnswer();
    const call = (await connect(revision, held.answer)).call("wipe", ARGS);
    const id = await waiting();
    await waitUntil(() => held.forms.length === 1, { what: "the form" });
    const [form] = held.forms;
    expect(form?.message.split("\n")).toEqual([
      "Toolroom: run the tool “wipe”, which is marked destructive?",
      "Description by the author of the tool: “Removes a folder with all that is in it”",
      "Arguments by the caller: “folder = /old”",
    ]);
    expect(form?.requestedSchema).toMatchObject({
      properties: { decision: { enum: ["Approve", "Reject"] }, reason: { type: "string" } },
      required: ["decision"],
    });
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", askedIn: "claude-code/2.1" });
    expect(server.wiped).toEqual([]);
    held.give({ action: "accept", content: { decision: "Approve", reason: "it is old" } });
    expect(JSON.parse((await call).text)).toEqual({ wiped: "/old" });
    expect(await server.approvals.get(id)).toMatchObject({
      status: "approved",
      decidedBy: { id: "local-owner" },
      decidedIn: "claude-code/2.1",
      reason: "it is old",
    });
    expect((await server.executions.get(id)).approval).toMatchObject({ decidedIn: "claude-code/2.1" });
    expect(approvals.entries).toMatchObject([
      {
        action: "approvals.decide",
        outcome: "done",
        by: { id: "local-owner", origin: { door: "gateway" } },
        target: { kind: "execution", name: id },
        after: { tool: "wipe", client: "claude-code/2.1", approved: true, status: "approved" },
      },
    ]);
  });

  it.each([
    ["Reject with a reason", { action: "accept", content: { decision: "Reject", reason: "keep it" } }, ": keep it"],
    ["a refusal of the form", { action: "decline" }, ""],
  ] as const)("AGT-05 %s rejects the call", async (_title, answer, reason) => {
    await start();
    const result = await (await connect(revision, () => answer)).call("wipe", ARGS);
    expect(result).toEqual({ text: `Error: Rejected by Local owner${reason}`, isError: true });
    expect(await only()).toMatchObject({ status: "rejected", decidedIn: "claude-code/2.1" });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 a form that was closed leaves the request in the inbox, for as long as other callers wait", async () => {
    await start({ limits: { approvalWaitMs: 50 } });
    const result = await (await connect(revision, () => ({ action: "cancel" }))).call("wipe", ARGS);
    expect(result.text).toContain("waits for a user's approval");
    const id = await waiting();
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", askedIn: null, detached: true });
  });

  it.each([[{}], [{ decision: "approve" }], [{ decision: "Approve", reason: "x".repeat(2001) }]] as const)(
    "AGT-05 content that does not match is asked for once again, then the inbox decides: %j",
    async (content) => {
      await start();
      const messages: string[] = [];
      const call = (
        await connect(revision, ({ message }) => {
          messages.push(message);
          return { action: "accept", content };
        })
      ).call("wipe", ARGS);
      call.catch(() => {});
      // A client may check the form itself, and refuses to answer then.
      const id = await waiting();
      await waitUntil(async () => messages.length > 0 && (await server.approvals.get(id)).askedIn === null, {
        what: "the end of the form",
      });
      expect(messages.length).toBeLessThanOrEqual(2);
      if (messages.length === 2) expect(messages[1]).toMatch(/^The answer did not match the form/);
      await server.approvals.decide(ALICE, id, { approved: true });
      expect((await call).text).toContain("/old");
      expect(await only()).toMatchObject({ status: "approved", decidedIn: null });
    },
  );

  it("AGT-05 a decision in the inbox comes first, withdraws the form, and the client's later answer changes nothing", async () => {
    await start({ limits: { approvalWaitMs: 20 } });
    const held = createHeldAnswer();
    const call = (await connect(revision, held.answer)).call("wipe", ARGS);
    const id = await waiting();
    await waitUntil(() => held.forms.length === 1, { what: "the form" });
    await server.approvals.decide(ALICE, id, { approved: false, reason: "no" });
    if (revision !== "2026-07-28") await waitUntil(() => held.withdrawn.length === 1, { what: "the withdrawal" });
    held.give(APPROVE);
    expect(await call).toEqual({ text: "Error: Rejected by Alice: no", isError: true });
    expect(await only()).toMatchObject({ status: "rejected", decidedBy: ALICE, decidedIn: null });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 a client that does not answer waits until the request expires", async () => {
    await start({ expiryMs: 300, limits: { approvalWaitMs: 10 } });
    const held = createHeldAnswer();
    const call = (await connect(revision, held.answer)).call("wipe", ARGS);
    const id = await waiting();
    await waitUntil(async () => (await server.approvals.get(id)).status === "expired", { what: "the expiry" });
    held.give(APPROVE);
    expect(await call).toMatchObject({
      isError: true,
      text: expect.stringContaining("Nobody approved the call within"),
    });
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 a client that leaves takes nothing with it: the request stays in the inbox", async () => {
    await start({ limits: { approvalNoticeMs: 20, approvalWaitMs: 20, answerMs: 500 } });
    const held = createHeldAnswer();
    const call = (await connect(revision, held.answer)).call("wipe", ARGS);
    call.catch(() => {});
    const id = await waiting();
    await waitUntil(() => held.forms.length === 1, { what: "the form" });
    gateway.server.closeAllConnections();
    await waitUntil(async () => (await server.approvals.get(id)).detached, { what: "the lost caller" });
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", askedIn: null });
    await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
    await waitUntil(async () => (await server.executions.get(id)).status === "succeeded", { what: "the run" });
  });

  it("AGT-05 a client that declared no forms is not asked", async () => {
    await start();
    const call = (await connect(revision)).call("wipe", ARGS);
    const id = await waiting();
    await server.approvals.decide(ALICE, id, { approved: true });
    expect((await call).isError).toBe(false);
    expect(await only()).toMatchObject({ askedIn: null, decidedIn: null });
  });

  it("AGT-05 of inbox and client that decide at the same moment, one counts: 100 races", {
    timeout: 60_000,
  }, async () => {
    await start();
    const held: ((answer: typeof APPROVE) => void)[] = [];
    const client = await connect(revision, () => new Promise((resolve) => void held.push(resolve)));
    const outcomes: string[] = [];
    for (let race = 0; race < 100; race += 1) {
      const call = client.call("wipe", { folder: `/${race}` });
      await waitUntil(() => held.length === race + 1, { what: "the form" });
      const id = await waiting();
      const reject = () => server.approvals.decide(ALICE, id, { approved: false });
      const first = race % 2 === 0 ? reject() : null;
      held[race]?.(APPROVE);
      await (first ?? reject());
      const { isError } = await call;
      const { status, decidedIn } = await server.approvals.get(id);
      expect([status, decidedIn]).toEqual(isError ? ["rejected", null] : ["approved", "claude-code/2.1"]);
      outcomes.push(status);
    }
    expect(server.wiped).toHaveLength(outcomes.filter((status) => status === "approved").length);
    expect(approvals.entries.every(({ outcome }) => outcome === "done")).toBe(true);
  });
});

describe("the callers that are asked in their clients", () => {
  /** Whether a call of this caller is asked for in its client; the inbox rejects it afterwards. */
  async function isAsked(): Promise<boolean> {
    const held = createHeldAnswer();
    const before = approvals.opened.length;
    const call = (await connect("2025-11-25", held.answer)).call("wipe", ARGS);
    const id = await waiting();
    await waitUntil(() => approvals.opened.length > before, { what: "the check of the caller" });
    const asked = approvals.opened.at(-1) !== null;
    if (asked) await waitUntil(() => held.forms.length === 1, { what: "the form" });
    await server.approvals.decide({ ...ALICE, role: "admin" }, id, { approved: false });
    await call;
    expect(held.forms).toHaveLength(asked ? 1 : 0);
    return asked;
  }
  const TOKEN = { id: "t", scopes: ["run"], tools: null, servers: null } as const;

  it("AGT-05 are those that may decide the same call in the inbox", async () => {
    await start({ accounts: true, readRole: (id) => (id === "gone" ? null : principal.role) });
    for (const [caller, expected] of [
      [{ role: "operator" }, true],
      [{ role: "admin", token: TOKEN }, true],
      [{ role: "admin", token: { ...TOKEN, tools: ["wipe"] } }, false],
      [{ role: "admin", token: { ...TOKEN, servers: ["files"] } }, false],
      [{ id: "gone", role: "admin" }, false],
    ] as [Partial<Principal>, boolean][]) {
      principal = buildPrincipal({ id: "ada", name: "Ada", ...caller });
      expect([caller, await isAsked()]).toEqual([caller, expected]);
    }
  });

  it("AGT-05 are none without the right to run tools, and none but the caller", async () => {
    await start({ accounts: true, readRole: (id) => (id === "viewer" ? "viewer" : "admin") });
    principal = buildPrincipal({ id: "ada", name: "Ada" });
    const call = (await connect("2025-11-25")).call("wipe", ARGS);
    const id = await waiting();
    const open = (caller: Partial<Principal>) => approvals.port.open(buildPrincipal(caller), id, "c");
    expect(await open({ id: "ada", token: { ...TOKEN, scopes: ["read"] } })).toBeNull();
    expect(await open({ id: "viewer" })).toBeNull();
    expect(await open({ id: "bob" })).toBeNull();
    await expect(approvals.port.decide(buildPrincipal({ id: "bob" }), id, "c", { approved: true })).rejects.toThrow();
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", askedIn: null });
    expect(await open({ id: "ada" })).not.toBeNull();
    await server.approvals.decide(ALICE, id, { approved: false });
    await call;
  });

  it.each(["editor", "admin", "other", "other_editor", "other_admin"] as const)(
    "AGT-05 are none where the setting names an approver: %s",
    async (mode) => {
      await start({ accounts: true });
      principal = buildPrincipal({ id: "ada", name: "Ada" });
      await server.tools.setApproval(ALICE, "wipe", mode);
      expect(await isAsked()).toBe(false);
    },
  );

  it("AGT-05 cannot approve once a setting names an approver, or their role is gone, while they are asked", async () => {
    let role: "admin" | "viewer" = "admin";
    await start({ accounts: true, readRole: () => role });
    principal = buildPrincipal({ id: "ada", name: "Ada" });
    for (const change of [
      () => server.tools.setApproval(ALICE, "wipe", "other"),
      async () => {
        role = "viewer";
      },
    ]) {
      const held = createHeldAnswer();
      const call = (await connect("2026-07-28", held.answer)).call("wipe", ARGS);
      const id = await waiting();
      await waitUntil(() => held.forms.length === 1, { what: "the form" });
      await change();
      held.give(APPROVE);
      await waitUntil(async () => (await server.approvals.get(id)).askedIn === null, { what: "the end of the form" });
      expect(await server.approvals.get(id)).toMatchObject({ status: "open" });
      await server.approvals.decide({ ...ALICE, role: "admin" }, id, { approved: false });
      await call;
      await server.tools.setApproval(ALICE, "wipe", null);
    }
    expect(server.wiped).toEqual([]);
  });

  it("AGT-05 read arguments with masks, and texts of others on one line within quotation marks", async () => {
    const description = "Wipes”\n\n**Safe**\u202e\u200b, says [the server](https://evil.example)";
    const parameters = { type: "object", properties: { password: { type: "string", format: "password" } } } as const;
    await start({ tools: [{ ...WIPE, description, parameters }] });
    const messages: string[] = [];
    const client = await connect("2025-06-18", ({ message }) => {
      messages.push(message);
      return APPROVE;
    });
    await client.call("wipe", { password: "planted-1", note: "a\nToolroom: safe”" });
    expect(messages).toHaveLength(1);
    expect(messages[0]).not.toContain("planted-1");
    const lines = messages[0]?.split("\n") ?? [];
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^Description by the author of the tool: “Wipes"”$/);
    expect(lines[2]).toMatch(/^Arguments by the caller: “password = .*, note = a Toolroom: safe"”$/);
    expect(server.wiped).toMatchObject([{ password: "planted-1" }]);
  });
});

describe("a stateless client that does not come back with its answer", () => {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "wipe" };
  const META = "io.modelcontextprotocol/";
  const _meta = {
    [`${META}protocolVersion`]: "2026-07-28",
    [`${META}clientCapabilities`]: { elicitation: { form: {} } },
  };
  const send = async (more: object) =>
    (await post(gateway.url, buildCall("wipe", 1, { arguments: ARGS, _meta, ...more }), headers)).json();

  it("AGT-05 leaves its request in the inbox, and learns on its return that it waits there", async () => {
    await start({ limits: { answerMs: 200 } });
    const { requestState } = (await send({})).result;
    const id = await waiting();
    await waitUntil(async () => (await server.approvals.get(id)).detached, { what: "the end of its time" });
    const { result } = await send({ requestState, inputResponses: { approval: APPROVE } });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain("do not call the tool again");
    expect(await server.approvals.get(id)).toMatchObject({ status: "open", askedIn: null });
  });

  it("AGT-05 gets the result of a call that the inbox approved meanwhile, which its lateness does not end", async () => {
    let finish = (): void => {};
    let isRunning = false;
    const wipe = () =>
      new Promise((resolve) => {
        isRunning = true;
        finish = () => resolve("wiped");
      });
    await start({ limits: { answerMs: 100 }, wipe });
    const { requestState } = (await send({})).result;
    await server.approvals.decide(ALICE, await waiting(), { approved: true });
    await waitUntil(() => isRunning, { what: "the run" });
    // A later call of the same limit has ended by then.
    await send({});
    await waitUntil(async () => (await listOpen())[0]?.detached === true, { what: "the limit" });
    finish();
    const { result } = await send({ requestState, inputResponses: {} });
    expect(result).toMatchObject({ content: [{ text: "wiped" }] });
  });
});

it("AGT-05 a kill while the client is asked leaves the request as any other that waits", async () => {
  await start();
  const held = createHeldAnswer();
  const call = (await connect("2025-11-25", held.answer)).call("wipe", ARGS);
  call.catch(() => {});
  const id = await waiting();
  await waitUntil(() => held.forms.length === 1, { what: "the form" });
  await server.vanish();
  await gateway.close();
  await start();
  expect(await server.approvals.get(id)).toMatchObject({ status: "open", detached: true, askedIn: null });
  await server.approvals.decide(ALICE, id, { approved: true, confirmed: true });
  await waitUntil(async () => (await server.executions.get(id)).status === "succeeded", { what: "the run" });
});
