import { expect, it } from "vitest";
import type { ExecutionFilter, ExecutionSummary } from "../../../lib/contract/execution";
import { describeFailures, findFailures, toWindow } from "./find-failures";

const HOUR_MS = 3_600_000;
const call = (id: number, toolName: string, errorPreview: string | null) =>
  ({ id: `exec_${id}`, toolName, errorKind: "tool_error", errorPreview, queuedAt: id }) as ExecutionSummary;

/** Reads of these failed calls, newest first, in pages of two. */
function readsOf(failed: readonly ExecutionSummary[]) {
  const asked: ExecutionFilter[] = [];
  return {
    asked,
    list: async (filter: ExecutionFilter, cursor: unknown) => {
      asked.push(filter);
      const from = typeof cursor === "number" ? cursor : 0;
      const items = failed.slice(from, from + 2);
      return { items, nextCursor: from + 2 < failed.length ? from + 2 : null };
    },
    count: async () => ({ count: 10, more: false }),
  };
}

it("groups failed calls by tool and message, whatever numbers the message has, with the newest of each", async () => {
  const reads = readsOf([
    call(5, "charge", "Order 5512 not found"),
    call(4, "mail", "Mailbox full"),
    call(3, "charge", "Order 17 not found"),
    call(2, "mail", null),
    call(1, "charge", "No such currency"),
  ]);
  const report = await findFailures(reads as never, { since: 0, until: 9 });
  expect(reads.asked.every(({ status }) => status?.join() === "failed")).toBe(true);
  expect(report).toMatchObject({ calls: 10, failed: 5, moreCalls: false });
  expect(report.causes.map(({ tool, message, calls, latestId }) => [tool, message, calls, latestId])).toEqual([
    ["charge", "Order 5512 not found", 2, "exec_5"],
    ["mail", "Mailbox full", 1, "exec_4"],
    ["mail", null, 1, "exec_2"],
    ["charge", "No such currency", 1, "exec_1"],
  ]);
  expect(describeFailures(report)).toBe(
    "5 of 10 calls failed. 2 × charge: Order 5512 not found; 1 × mail: Mailbox full; 1 × mail: tool_error; and 1 other cause.",
  );
});

it("yesterday and today are days of the zone, also where the clocks change", () => {
  const now = Date.parse("2026-10-26T09:00:00+01:00");
  const yesterday = toWindow("yesterday", now, "Europe/Berlin");
  expect(new Date(yesterday.since).toISOString()).toBe("2026-10-24T22:00:00.000Z");
  expect(yesterday.until + 1 - yesterday.since).toBe(25 * HOUR_MS);
  expect(toWindow("today", now, "Europe/Berlin").since).toBe(yesterday.until + 1);
  expect(toWindow("hour", now, "UTC")).toEqual({ since: now - HOUR_MS, until: now });
});
