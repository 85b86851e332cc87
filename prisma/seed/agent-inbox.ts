import { LOCAL_OWNER } from "../../src/lib/contract";
import type { ApprovalStore } from "../../src/server/features/approvals/approval-store";
import type { ExecutionStore } from "../../src/server/features/executions/execution-store";
import type { createCallWriter } from "./agent-calls";
import { call, executionIdAt, type PastThing, type PlannedRun } from "./agent-plan";
import type { createRunWriter } from "./agent-runs";
import { DEMO, INES, TOM } from "./agent-tools";
import { decidedCall, type PlannedApproval } from "./agent-weeks";
import { createRandom } from "./random";

interface InboxPorts {
  logbook: ExecutionStore;
  approvals: ApprovalStore;
  calls: ReturnType<typeof createCallWriter>;
  writer: ReturnType<typeof createRunWriter>;
}

const MINUTE_MS = 60_000;

/** Approvals that people gave or refused to others than runs. */
export function planDecided({ logbook, calls }: InboxPorts, planned: readonly PlannedApproval[]): PastThing[] {
  return planned.map(({ at, number }) => ({
    kind: "approval",
    at,
    async write() {
      const id = executionIdAt(at, createRandom(at));
      if ((await logbook.summary(id)) !== null) return false;
      const { call: decided, origin } = decidedCall(number);
      await calls.write(decided, id, at, origin);
      return true;
    },
  }));
}

/** One call each that waits of the console, of a run and of the gateway; none while somebody is asked already. */
export async function seedOpen({ approvals, calls, writer }: InboxPorts, now: number): Promise<number> {
  if ((await approvals.countOpen()) > 0) return 0;
  const random = createRandom(now);
  const nobody = { runId: null, callId: null };
  const gatewayAt = now - 52 * MINUTE_MS;
  const refund = { order_id: "ord_77120", amount: 129, reason: "Bought twice by mistake" };
  await calls.write(
    { ...call("refund_order", refund, null, 0), approval: "open" },
    executionIdAt(gatewayAt, random),
    gatewayAt,
    { source: "gateway", actor: TOM, client: "Claude Code 2.1.4", ...nobody },
  );
  await writer.write(waitingRun(`run_${random.letters(16)}`, now - 17 * MINUTE_MS));
  const consoleAt = now - 4 * MINUTE_MS;
  const mail = { customer_id: "cus_1042", subject: "Your refund", body: "Your refund of €129.00 is on its way." };
  await calls.write(
    { ...call("send_email", mail, null, 0), approval: "open" },
    executionIdAt(consoleAt, random),
    consoleAt,
    { source: "console", actor: INES, client: null, ...nobody },
  );
  return 3;
}

/** Of the demo model, so that it goes on by itself once somebody approves its call. */
function waitingRun(id: string, at: number): PlannedRun {
  const refund = { order_id: "ord_70311", amount: 24.5, reason: "Arrived broken" };
  const asked = { ...call("refund_order", refund, null, 0), approval: "open" as const };
  return {
    ...{ id, at, source: "agent", actor: LOCAL_OWNER },
    settings: { ...DEMO, instructions: "", tools: { mode: "all" } },
    turns: [
      {
        ...{ text: 'refund_order order_id=ord_70311 amount=24.5 reason="Arrived broken"', pauseMs: 0, end: null },
        steps: [{ ms: 190, text: "I call `refund_order`.", calls: [asked] }],
      },
    ],
  };
}
