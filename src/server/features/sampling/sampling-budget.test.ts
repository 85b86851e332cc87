import fc from "fast-check";
import { expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { SAMPLING_BUDGET } from "../../../lib/contract/sampling-limits";
import type { SamplingRequest } from "../../engine/mcp-ports";
import { quietLogger } from "../../platform/db/database.test-support";
import { createSamplingBudgets, HOUR_MS } from "./sampling-budget";

interface Row {
  executionId: string;
  server: string;
  at: number;
  tokens: number;
}

const MAX_TOKENS = 100;
const PARAMS = "x".repeat(40);

/** Budgets over rows in memory, with a clock that the test sets. */
function open() {
  const rows: Row[] = [];
  const clock = { at: 10 * HOUR_MS };
  const sum = (found: readonly Row[]) => ({
    requests: found.length,
    tokens: found.reduce((all, row) => all + row.tokens, 0),
  });
  const budgets = createSamplingBudgets({
    store: {
      async readUsage({ executionId, server, since }) {
        const ofServer = rows.filter((row) => row.server === server && row.at >= since);
        const oldestAt = ofServer.length === 0 ? null : Math.min(...ofServer.map(({ at }) => at));
        return {
          call: sum(rows.filter((row) => row.executionId === executionId)),
          server: { ...sum(ofServer), oldestAt },
        };
      },
    },
    now: () => clock.at,
  });
  const counts = new Map<string, number>();
  const reserve = (server: string, executionId: string, budget: Partial<typeof SAMPLING_BUDGET | object> = {}) => {
    const count = (counts.get(executionId) ?? 0) + 1;
    counts.set(executionId, count);
    const setting = { mode: "model", provider: "acme", model: "tiny", ...budget } as SamplingRequest["setting"];
    return budgets.reserve(
      { executionId, server, actor: LOCAL_OWNER, logger: quietLogger(), count, setting, paramsText: PARAMS },
      MAX_TOKENS,
    );
  };
  return { rows, clock, reserve };
}

it("no order of requests at once and one after another spends more than the budget and one request beyond it", async () => {
  const step = fc.record({
    server: fc.constantFrom("files", "notes"),
    call: fc.integer({ min: 1, max: 4 }),
    tokens: fc.integer({ min: 0, max: 110 }),
    atOnce: fc.integer({ min: 1, max: 5 }),
    passMs: fc.constantFrom(0, 60_000, HOUR_MS),
  });
  const limits = fc.record({
    requestsPerCall: fc.integer({ min: 1, max: 8 }),
    tokensPerCall: fc.integer({ min: 1, max: 500 }),
    requestsPerHour: fc.integer({ min: 1, max: 12 }),
    tokensPerHour: fc.integer({ min: 1, max: 900 }),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 20 }), async (budget, steps) => {
      const { rows, clock, reserve } = open();
      for (const { server, call, tokens, atOnce, passMs } of steps) {
        const executionId = `${server}-${call}`;
        const asked = Array.from({ length: atOnce }, async () => {
          const release = await reserve(server, executionId, budget);
          rows.push({ executionId, server, at: clock.at, tokens });
          release();
        });
        for (const outcome of await Promise.allSettled(asked)) {
          if (outcome.status === "rejected")
            expect(outcome.reason).toMatchObject({ name: "SamplingFailure", code: -32_000 });
        }
        const ofCall = rows.filter((row) => row.executionId === executionId);
        const recent = rows.filter((row) => row.server === server && row.at >= clock.at - HOUR_MS);
        expect(ofCall.length).toBeLessThanOrEqual(budget.requestsPerCall);
        expect(recent.length).toBeLessThanOrEqual(budget.requestsPerHour);
        const total = (found: readonly Row[]) => found.reduce((sum, row) => sum + row.tokens, 0);
        expect(total(ofCall)).toBeLessThan(budget.tokensPerCall + MAX_TOKENS + PARAMS.length);
        expect(total(recent)).toBeLessThan(budget.tokensPerHour + MAX_TOKENS + PARAMS.length);
        clock.at += passMs;
      }
    }),
    { numRuns: 200 },
  );
});

it("a refusal names what is spent, the setting that raises it and when the server may ask again, and one server's is not another's", async () => {
  const { rows, clock, reserve } = open();
  for (let at = 0; at < SAMPLING_BUDGET.requestsPerHour; at += 1) {
    rows.push({ executionId: `exec_${at}`, server: "files", at: clock.at - 45 * 60_000, tokens: 1 });
  }
  await expect(reserve("files", "exec_new")).rejects.toThrow(
    "The server 'files' may make at most 200 sampling requests an hour. Try again in 15 min, or raise sampling.requestsPerHour in the server's settings.",
  );
  await expect(reserve("notes", "exec_other")).resolves.toBeTypeOf("function");
  clock.at += 16 * 60_000;
  await expect(reserve("files", "exec_new")).resolves.toBeTypeOf("function");
  rows.push({ executionId: "exec_big", server: "files", at: clock.at, tokens: 5_000 });
  await expect(reserve("files", "exec_big", { tokensPerCall: 5_000 })).rejects.toThrow(
    "This tool call may make at most 5000 tokens of sampling requests. Raise sampling.tokensPerCall in the server's settings.",
  );
});
