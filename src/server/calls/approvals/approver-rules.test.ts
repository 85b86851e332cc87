import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal, Role } from "../../../lib/contract/access";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { approvalModeSchema } from "../../../lib/contract/approval";
import { explainApproverDenial, findApproverRule, joinModes } from "../../../lib/contract/approver";
import { newExecutionId } from "../../../lib/execution-id";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { startServer, type TestServer, WIPE } from "./approval.test-support";

const user = (name: string, role: Role): Principal => ({ id: name.toLowerCase(), name, role, token: null });
const OPAL = user("Opal", "operator");
const EDDA = user("Edda", "editor");
const ADA = user("Ada", "admin");

let scratch: ScratchDatabase;
let server: TestServer;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  server = await startServer(scratch.db, { accounts: true });
});
afterEach(async () => {
  await server.stop();
  await scratch.remove();
});

async function request(actor: Principal, runId?: string, tool = "wipe") {
  const id = newExecutionId();
  const { id: actorId, name } = actor;
  const options = { executionId: id, actor: { id: actorId, name }, ...(runId !== undefined && { runId }) };
  const done = server.executions.execute(tool, { folder: "/old" }, options);
  const status = async () => (await server.approvals.get(id).catch(() => null))?.status;
  await waitUntil(async () => (await status()) === "open", { what: `the request of ${id}` });
  return { id, done };
}

describe("who may approve the calls of a tool", () => {
  it.each<[ApprovalMode, string]>([
    ["always", "Opal Edda Ada"],
    ["never", "Opal Edda Ada"],
    ["editor", "Edda Ada"],
    ["admin", "Ada"],
    ["other", "Opal Ada"],
    ["other_editor", "Ada"],
    ["other_admin", "Ada"],
  ])("under the setting %s, for a call that Edda requested: %s", (mode, expected) => {
    const allowed = [OPAL, EDDA, ADA].filter(
      (each) => explainApproverDenial(findApproverRule(mode), each, EDDA) === null,
    );
    expect(allowed.map(({ name }) => name).join(" ")).toBe(expected);
  });

  it.each(approvalModeSchema.options)("is never a service account, under the setting %s", async (mode) => {
    const bot: Principal = { id: "service_1", name: "bot", role: "admin", token: null };
    expect(explainApproverDenial(findApproverRule(mode), bot, EDDA)).toMatch("service account");
    if (mode === "never") return;
    await server.tools.setApproval(ADA, "wipe", mode);
    const { id, done } = await request(EDDA);
    const denied = { code: "DENIED", message: expect.stringContaining("service account") };
    await expect(server.approvals.decide(bot, id, { approved: true })).rejects.toMatchObject(denied);
    const { outcomes } = await server.approvals.decideMany(bot, [id], { approved: true });
    expect(outcomes).toMatchObject([{ decided: false, status: "open" }]);
    await server.approvals.decide(ADA, id, { approved: false });
    await done;
  });

  it("is covered for every setting, and every one but 'never' requires approval", async () => {
    for (const mode of approvalModeSchema.options) {
      expect((await server.tools.setApproval(ADA, "wipe", mode)).approval).toMatchObject({
        required: mode !== "never",
        mode,
      });
    }
  });

  it("AGT-05 is checked when someone approves; the call stays open, and everyone may reject it", async () => {
    await server.tools.setApproval(ADA, "wipe", "other_editor");
    const { id, done } = await request(EDDA);
    for (const decider of [OPAL, EDDA]) {
      await expect(server.approvals.decide(decider, id, { approved: true })).rejects.toMatchObject({
        code: "DENIED",
        message: expect.stringContaining("an editor or admin other than"),
      });
    }
    await expect(server.approvals.decide(EDDA, id, { approved: true, confirmed: true })).rejects.toThrow("than you");
    expect((await server.approvals.get(id)).status).toBe("open");
    expect(server.wiped).toEqual([]);
    expect(await server.approvals.decide(ADA, id, { approved: true })).toMatchObject({ decided: true });
    expect(await done).toMatchObject({ success: true });
    const { approval } = await server.executions.get(id);
    expect(approval?.decidedBy).toEqual({ id: "ada", name: "Ada" });
    const rejected = await request(EDDA);
    expect(await server.approvals.decide(EDDA, rejected.id, { approved: false })).toMatchObject({ decided: true });
  });

  it.each<[ApprovalMode, boolean]>([
    ["other", false],
    ["other_admin", false],
    ["admin", true],
  ])("AGT-05 let an approver change the arguments only where the requester may approve: %s", async (mode, may) => {
    await server.tools.setApproval(ADA, "wipe", mode);
    const { id, done } = await request(EDDA);
    const decide = (folder: string) =>
      server.approvals.decide(ADA, id, { approved: true, argumentsText: JSON.stringify({ folder }) });
    if (may) expect(await decide("/other")).toMatchObject({ decided: true });
    else {
      await expect(decide("/other")).rejects.toMatchObject({
        code: "INVALID",
        problems: [{ path: "argumentsText", message: expect.stringContaining("reject the call") }],
      });
      expect((await server.approvals.get(id)).status).toBe("open");
      expect(server.wiped).toEqual([]);
      expect(await decide("/old"), "sent back unchanged").toMatchObject({ decided: true });
    }
    await done;
    expect(server.wiped).toEqual([{ folder: may ? "/other" : "/old" }]);
  });

  it("AGT-05 leaves calls open in a decision for several, with who may approve", async () => {
    await server.tools.setApproval(ADA, "wipe", "other");
    const own = await request(OPAL);
    const others = await request(EDDA);
    const { outcomes } = await server.approvals.decideMany(OPAL, [own.id, others.id], { approved: true });
    expect(outcomes).toMatchObject([
      { status: "open", denied: expect.stringContaining("other than you") },
      { decided: true },
    ]);
    await server.approvals.decide(ADA, own.id, { approved: true });
  });

  it.each<[string, ApprovalMode | null]>([
    ["lifted", null],
    ["lowered", "editor"],
  ])("AGT-05 of when a call was made still decide after the setting was %s", async (_how, mode) => {
    await server.tools.setApproval(ADA, "wipe", "other_admin");
    const { id, done } = await request(EDDA);
    await server.tools.setApproval(ADA, "wipe", mode);
    expect(await server.approvals.get(id)).toMatchObject({ mode: "other_admin" });
    await expect(server.approvals.decide(EDDA, id, { approved: true })).rejects.toMatchObject({ code: "DENIED" });
    expect(await server.approvals.decide(ADA, id, { approved: true })).toMatchObject({ decided: true });
    expect(await done).toMatchObject({ success: true });
    await server.tools.setApproval(ADA, "wipe", "other_admin");
    expect(await server.approvals.get(id)).toMatchObject({ mode: "other_admin", status: "approved" });
  });

  it("AGT-05 hold after an editor deletes and creates the tool again, for the call that waits and the next ones", async () => {
    const WIRE = JSON.stringify({ ...WIPE, name: "wire", implementation: { type: "mock", mock_response: "sent" } });
    await server.tools.create(EDDA, WIRE);
    await server.tools.setApproval(ADA, "wire", "other_admin");
    const first = await request(EDDA, undefined, "wire");
    await server.tools.delete(EDDA, "wire");
    await server.tools.create(EDDA, WIRE);
    const second = await request(EDDA, undefined, "wire");
    for (const { id } of [first, second]) {
      await expect(server.approvals.decide(EDDA, id, { approved: true })).rejects.toMatchObject({ code: "DENIED" });
      await server.approvals.decide(ADA, id, { approved: true });
    }
    expect(await first.done).toMatchObject({ success: true });
  });

  it("AGT-05 of a waiting call are kept from 'always allow in this run' of a later one", async () => {
    await server.tools.setApproval(ADA, "wipe", "other_admin");
    const strict = await request(OPAL, "run_2");
    await server.tools.setApproval(ADA, "wipe", null);
    const free = await request(OPAL, "run_2");
    await server.approvals.decide(OPAL, free.id, { approved: true, scope: "run" });
    expect(await free.done).toMatchObject({ success: true });
    expect((await server.approvals.get(strict.id)).status).toBe("open");
    await server.approvals.decide(ADA, strict.id, { approved: true });
  });

  it.each<[ApprovalMode | null, ApprovalMode | null, ApprovalMode | null]>([
    ["editor", "other", "other_editor"],
    ["admin", "other_editor", "other_admin"],
    ["always", "other", "other"],
    ["always", "never", "always"],
    [null, "never", "never"],
    ["admin", null, "admin"],
    [null, null, null],
  ])("of %s and %s together are those of %s", (first, second, both) => {
    expect([joinModes(first, second), joinModes(second, first)]).toEqual([both, both]);
  });

  it("AGT-05 ends 'always allow in this run': each call is approved by one who may", async () => {
    const allowed = await request(OPAL, "run_1");
    await server.approvals.decide(OPAL, allowed.id, { approved: true, scope: "run" });
    await allowed.done;
    await server.tools.setApproval(ADA, "wipe", "admin");
    const next = await request(OPAL, "run_1");
    await expect(server.approvals.decide(ADA, next.id, { approved: true, scope: "run" })).rejects.toMatchObject({
      code: "INVALID",
    });
    await server.approvals.decide(ADA, next.id, { approved: true });
    expect(await next.done).toMatchObject({ success: true });
  });

  it("AGT-05 holds after a restart, and without accounts anyone may approve; another user cannot be required then", async () => {
    await server.tools.setApproval(ADA, "wipe", "other_admin");
    await server.stop();
    server = await startServer(scratch.db, { accounts: false });
    expect(server.tools.get("wipe").approval).toMatchObject({ required: true, mode: "other_admin" });
    const { id, done } = await request(EDDA);
    await server.approvals.decide(EDDA, id, { approved: true });
    expect(await done).toMatchObject({ success: true });
    for (const mode of ["other", "other_editor", "other_admin"] as const) {
      await expect(server.tools.setApproval(ADA, "wipe", mode)).rejects.toMatchObject({
        code: "INVALID",
        message: expect.stringContaining("without accounts"),
      });
    }
    expect((await server.tools.setApproval(ADA, "wipe", "admin")).approval.mode).toBe("admin");
  });
});
