import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import type { ApprovalOutcome } from "../../../lib/contract/approval";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createApprovalLinks, createLinkSigner } from "./approval-links";
import { createApprovalLinkStore } from "./db/approval-store";

const HOUR_MS = 60 * 60_000;
const CLAIM = { executionId: "exec_1", webhookId: "wh_1", userId: "ada" };
const ADA: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
const DECIDED: ApprovalOutcome = { decided: true, status: "approved", faults: [] };

async function open() {
  const scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  const clock = { now: 1_000_000 };
  const signer = createLinkSigner("a key", () => clock.now);
  const decisions: { by: string; executionId: string; approved: boolean }[] = [];
  const state: { approver: Principal | null; outcome: ApprovalOutcome } = { approver: ADA, outcome: DECIDED };
  const links = createApprovalLinks({
    ...{ signer, store: createApprovalLinkStore(scratch.db), now: () => clock.now },
    findApprover: async (_webhook, user) => (user === state.approver?.id ? state.approver : null),
    approvalsFor: () => ({
      get: async (executionId) => ({ executionId, status: "open" }) as never,
      async decide(by, executionId, { approved }) {
        if (state.outcome.decided) decisions.push({ by: by.id, executionId, approved });
        return state.outcome;
      },
    }),
  });
  const attempt = (token: string) =>
    links.decide(token, { approved: true }).then(
      ({ decided }) => decided,
      () => false,
    );
  return { clock, signer, links, decisions, state, attempt };
}

it("none of 1,000 forged, expired or repeated links is accepted", async () => {
  const { clock, signer, decisions, attempt } = await open();
  const good = Array.from({ length: 200 }, (_, at) => signer.sign({ ...CLAIM, executionId: `exec_${at}` }));
  const other = createLinkSigner("another key", () => clock.now);
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
  for (let look = 0; look < 3; look += 1) expect(await links.view(token)).toMatchObject({ approver: "Ada" });
  expect(decisions).toEqual([]);
  const outcomes = await Promise.all([attempt(token), attempt(token), attempt(token)]);
  expect(outcomes.filter(Boolean)).toHaveLength(1);
  expect(decisions).toEqual([{ by: "ada", executionId: "exec_1", approved: true }]);
  await expect(links.view(token)).rejects.toThrow("used before");
});

it("a link of a user who may approve no more, or whose webhook has another user, does nothing", async () => {
  const { signer, state, decisions, links } = await open();
  const token = signer.sign(CLAIM);
  state.approver = null;
  await expect(links.view(token)).rejects.toThrow("withdrawn");
  await expect(links.decide(token, { approved: true })).rejects.toThrow("withdrawn");
  expect(decisions).toEqual([]);
});

it("an attempt that decides nothing leaves the link usable", async () => {
  const { signer, state, links, decisions } = await open();
  const token = signer.sign(CLAIM);
  state.outcome = { decided: false, status: "open", faults: [], needsConfirmation: true };
  expect(await links.decide(token, { approved: true })).toMatchObject({ needsConfirmation: true });
  state.outcome = DECIDED;
  expect(await links.decide(token, { approved: true, confirmed: true })).toMatchObject({ decided: true });
  expect(decisions).toHaveLength(1);
});
