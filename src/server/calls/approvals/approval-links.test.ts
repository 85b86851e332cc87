import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import type { ApprovalMode, ApprovalOutcome } from "../../../lib/contract/approval";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createApprovalLinks, createLinkSigner, type LinkVisitor } from "./approval-links";
import { createApprovalLinkStore } from "./db/approval-store";

const HOUR_MS = 60 * 60_000;
const START = 1_000_000;
const CLAIM = { executionId: "exec_1", webhookId: "wh_1", userId: "ada", issuedAt: START };
const VISITOR: LinkVisitor = { userId: null, origin: { door: "rest", address: "192.0.2.7" } };
const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
const DECIDED: ApprovalOutcome = { decided: true, status: "approved", faults: [] };

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const clock = { now: START };
  const signer = createLinkSigner("a key");
  const store = createApprovalLinkStore(scratch.db);
  const used: unknown[] = [];
  const decisions: { by: string; executionId: string; approved: boolean }[] = [];
  const state: {
    approver: Principal | null;
    outcome: ApprovalOutcome;
    mode: ApprovalMode | null;
    isPaused: boolean;
  } = {
    approver: ADA,
    outcome: DECIDED,
    mode: null,
    isPaused: false,
  };
  const links = createApprovalLinks({
    signer,
    store,
    now: () => clock.now,
    onUsed: (use) => used.push(use),
    findApprover: async (_webhook, user) => (user === state.approver?.id ? state.approver : null),
    isPaused: () => state.isPaused,
    approvalsFor: () => ({
      get: async (executionId) => ({ executionId, status: "open", toolName: "wipe", mode: state.mode }) as never,
      async decide(by, executionId, { approved }) {
        if (state.outcome.decided) decisions.push({ by: by.id, executionId, approved });
        return state.outcome;
      },
    }),
  });
  const attempt = (token: string) =>
    links.decide(token, { approved: true }, VISITOR).then(
      ({ decided }) => decided,
      () => false,
    );
  return { clock, signer, store, links, decisions, used, state, attempt };
}

it("none of 1,000 forged, expired or repeated links is accepted", async () => {
  const { clock, signer, decisions, attempt } = await open();
  const good = Array.from({ length: 200 }, (_, at) => signer.sign({ ...CLAIM, executionId: `exec_${at}` }));
  const other = createLinkSigner("another key");
  const change = (text: string, at: number): string =>
    `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
  const bad = good.flatMap((token, at) => {
    const [payload = "", signature = ""] = token.split(".");
    const claim = JSON.parse(Buffer.from(payload, "base64url").toString());
    const stolen = Buffer.from(JSON.stringify([claim[0], claim[1], "eve", claim[3]])).toString("base64url");
    return [
      change(token, at % payload.length),
      `${payload}.${change(signature, at % signature.length)}`,
      `${stolen}.${signature}`,
      [other.sign(CLAIM), `${payload}.`, payload, `${token}.x`, `${token}=`, randomBytes(90).toString("base64url")][
        at % 6
      ] ?? "",
    ];
  });
  let accepted = 0;
  for (const token of bad) if (await attempt(token)) accepted += 1;
  expect([bad.length, accepted, decisions.length]).toEqual([800, 0, 0]);
  for (const token of good.slice(0, 100)) expect(await attempt(token)).toBe(true);
  for (const token of good.slice(0, 100)) if (await attempt(token)) accepted += 1;
  clock.now += 4 * HOUR_MS;
  for (const token of good.slice(100)) if (await attempt(token)) accepted += 1;
  expect([accepted, decisions.length]).toEqual([0, 100]);
});

it("a link that is opened twice at the same time decides once, and looking at it decides nothing", async () => {
  const { signer, links, decisions, attempt } = await open();
  const token = signer.sign(CLAIM);
  for (let look = 0; look < 3; look += 1) expect(await links.view(token, VISITOR)).toMatchObject({ approver: "Ada" });
  expect(decisions).toEqual([]);
  const outcomes = await Promise.all([attempt(token), attempt(token), attempt(token)]);
  expect(outcomes.filter(Boolean)).toHaveLength(1);
  expect(decisions).toEqual([{ by: "ada", executionId: "exec_1", approved: true }]);
  await expect(links.view(token, VISITOR)).rejects.toThrow("used before");
});

it("a link of a user who may approve no more, or whose webhook has another user, does nothing", async () => {
  const { signer, state, decisions, links } = await open();
  const token = signer.sign(CLAIM);
  state.approver = null;
  await expect(links.view(token, VISITOR)).rejects.toThrow("withdrawn");
  await expect(links.decide(token, { approved: true }, VISITOR)).rejects.toThrow("withdrawn");
  expect(decisions).toEqual([]);
});

it("an attempt that decides nothing leaves the link usable", async () => {
  const { signer, state, links, decisions } = await open();
  const token = signer.sign(CLAIM);
  state.outcome = { decided: false, status: "open", faults: [], needsConfirmation: true };
  expect(await links.decide(token, { approved: true }, VISITOR)).toMatchObject({ needsConfirmation: true });
  state.outcome = DECIDED;
  expect(await links.decide(token, { approved: true, confirmed: true }, VISITOR)).toMatchObject({ decided: true });
  expect(decisions).toHaveLength(1);
});

it("each use is noted for its approver with the address of the client, once, until it is dismissed", async () => {
  const { signer, store, used, attempt, links } = await open();
  expect(await attempt(signer.sign(CLAIM))).toBe(true);
  await links.decide(signer.sign({ ...CLAIM, executionId: "exec_2" }), { approved: false }, VISITOR);
  const [newest, oldest, ...others] = await store.listUnseen("ada", 10);
  expect([newest, oldest].map((use) => use?.executionId).sort()).toEqual(["exec_1", "exec_2"]);
  expect(newest).toMatchObject({ toolName: "wipe", address: "192.0.2.7", usedAt: START });
  expect([others, await store.listUnseen("eve", 10)]).toEqual([[], []]);
  expect(used).toMatchObject([{ webhookId: "wh_1", userId: "ada", use: { executionId: "exec_1" } }, {}]);
  await store.markSeen("ada", START + 1);
  expect(await store.listUnseen("ada", 10)).toEqual([]);
});

it.each(["other", "other_editor", "other_admin"] as const)(
  "a link of a call under the rule '%s' decides only for its approver who is signed in",
  async (mode) => {
    const { signer, state, links, decisions } = await open();
    state.mode = mode;
    const token = signer.sign(CLAIM);
    for (const userId of [null, "eve", "automation"]) {
      const visitor = { ...VISITOR, userId };
      await expect(links.view(token, visitor)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
      await expect(links.decide(token, { approved: true }, visitor)).rejects.toThrow("sign in as Ada");
    }
    expect(decisions).toEqual([]);
    expect(await links.decide(token, { approved: true }, { ...VISITOR, userId: "ada" })).toMatchObject({
      decided: true,
    });
  },
);

it("the same claim gives the same link, so that none is stored", async () => {
  const { signer } = await open();
  expect(signer.sign(CLAIM)).toBe(signer.sign({ ...CLAIM }));
  expect(signer.sign({ ...CLAIM, issuedAt: START + 1 })).not.toBe(signer.sign(CLAIM));
});

it("a link decides nothing at a paused copy, and still decides once the copy is the original", async () => {
  const { signer, state, decisions, attempt } = await open();
  const token = signer.sign(CLAIM);
  state.isPaused = true;
  expect(await attempt(token)).toBe(false);
  expect(decisions).toEqual([]);
  state.isPaused = false;
  expect(await attempt(token)).toBe(true);
});
