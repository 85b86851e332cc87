import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createExecutionStore } from "../../calls/executions/db/execution-store";
import { anEnd, aStart } from "../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import { silentLogger, systemClock } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { JmespathProjector } from "../../platform/workers/lens-projector";
import { createLensStore } from "./db/lens-store";
import { createLensService, type LensService } from "./lens-service";

const projector = new JmespathProjector({ home: process.cwd() });
afterAll(() => projector.close());

let scratch: ScratchDatabase;
let store: ExecutionStore;
let lenses: LensService;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createExecutionStore({ db: scratch.db, logger: silentLogger, instanceId: "i", clock: systemClock });
  lenses = createLensService({ store: createLensStore(scratch.db), projector, assertTool: () => undefined });
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

const ISSUES = { items: [{ id: "ISSUE-4711", title: "Broken", url: "https://x.test/4711" }], total: 1 };
let count = 0;

/** Records a call that has ended. @returns its id */
async function record(part: Parameters<typeof aStart>[0], result: unknown, end = {}): Promise<string> {
  count += 1;
  const start = aStart({ id: `exec_${count}`, toolName: "list", ...part });
  await store.begin(start);
  await store.finish(start, anEnd(start, { resultText: JSON.stringify(result), ...end }));
  return start.id;
}

/** Every page of a preview. */
async function previewAll(expression: string) {
  const rows = [];
  for (let cursor: number | null = null; ; ) {
    const page = await lenses.preview("list", expression, cursor);
    rows.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return rows;
  }
}

describe("a preview", () => {
  it("measures every whole stored result before and after, newest first, page by page, with a reason where it fails", async () => {
    for (let index = 0; index < 120; index += 1) await record({}, index === 60 ? { other: 1 } : ISSUES);
    await record({ toolName: "another" }, ISSUES);
    await record({}, ISSUES, { resultTruncated: true });
    const rows = await previewAll("items[].id");
    expect(rows).toHaveLength(120);
    const whole = JSON.stringify(ISSUES).length;
    const after = '["ISSUE-4711"]'.length;
    expect(rows[0]).toMatchObject({
      beforeBytes: whole,
      afterBytes: after,
      beforeTokens: Math.ceil(whole / 4),
      fault: null,
    });
    expect(rows.filter(({ fault }) => fault !== null)).toEqual([
      expect.objectContaining({
        beforeBytes: 11,
        afterBytes: 11,
        fault: "The expression selects nothing in this result",
      }),
    ]);
    expect(new Set(rows.map(({ executionId }) => executionId)).size).toBe(120);
    expect(rows[0]?.executionId.localeCompare(rows[1]?.executionId ?? "", "en", { numeric: true })).toBe(1);
  });

  it("refuses an expression that cannot be used, and shows one result as it is and as it would be", async () => {
    const id = await record({}, ISSUES);
    await expect(lenses.preview("list", "items[", null)).rejects.toMatchObject({ code: "INVALID" });
    expect(await lenses.example(id, "total")).toEqual({ before: JSON.stringify(ISSUES), after: "1", fault: null });
    expect(await lenses.example(id, "nope")).toMatchObject({ after: null, fault: expect.any(String) });
    await expect(lenses.example("exec_none", "total")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

it("failures of lenses are counted, with the latest", async () => {
  expect(await lenses.failures("list")).toEqual({ count: 0, latest: null });
  await record({}, ISSUES, { lens: "a", lensFault: "first" });
  const executionId = await record({}, ISSUES, { lens: "a", lensFault: "second" });
  await record({}, ISSUES, { lens: "total", lensFault: null });
  expect(await lenses.failures("list")).toMatchObject({ count: 2, latest: { executionId, fault: "second" } });
});
