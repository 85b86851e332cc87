import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger, systemClock } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { JmespathProjector } from "../../platform/workers/lens-projector";
import { createExecutionStore } from "../executions/db/execution-store";
import { anEnd, aStart } from "../executions/execution.test-support";
import type { ExecutionStore } from "../executions/execution-store";
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
  const usedValues = [];
  for (let cursor: number | null = null; ; ) {
    const page = await lenses.preview("list", expression, cursor);
    rows.push(...page.rows);
    usedValues.push(...page.usedValues);
    cursor = page.nextCursor;
    if (cursor === null) return { rows, usedValues };
  }
}

describe("a preview", () => {
  it("measures every whole stored result before and after, newest first, page by page, with a reason where it fails", async () => {
    for (let index = 0; index < 120; index += 1) await record({}, index === 60 ? { other: 1 } : ISSUES);
    await record({ toolName: "another" }, ISSUES);
    await record({}, ISSUES, { resultTruncated: true });
    const { rows } = await previewAll("items[].id");
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

describe("values that an expression removes", () => {
  it("are reported where a later call of the same run used them, with both executions", async () => {
    const id = await record({ runId: "run_1", source: "agent" }, ISSUES);
    const later = await record(
      { runId: "run_1", toolName: "close", argumentsText: '{"issue":{"ref":"closes ISSUE-4711"}}' },
      null,
    );
    await record({ runId: "run_2", toolName: "close", argumentsText: '{"issue":"ISSUE-4711"}' }, null);
    expect((await previewAll("items[].title")).usedValues).toEqual([
      { path: "items[].id", executionId: id, laterId: later, laterTool: "close", argument: "issue.ref", by: "run" },
    ]);
    expect((await previewAll("items[].{id: id}")).usedValues).toEqual([]);
  });

  it("are reported for the same gateway client and person only, and not where the call itself had the value", async () => {
    const client = { source: "gateway", client: "ide/1" } as const;
    await record({ ...client, argumentsText: '{"after":"ISSUE-4711"}' }, ISSUES);
    const id = await record(client, ISSUES);
    await record({ ...client, client: "other/1", toolName: "close", argumentsText: '{"id":"ISSUE-4711"}' }, null);
    const later = await record({ ...client, toolName: "close", argumentsText: '{"id":"ISSUE-4711"}' }, null);
    expect((await previewAll("total")).usedValues).toEqual([
      { path: "items[].id", executionId: id, laterId: later, laterTool: "close", argument: "id", by: "client" },
    ]);
  });
});

it("failures of lenses are counted, with the latest", async () => {
  expect(await lenses.failures("list")).toEqual({ count: 0, latest: null });
  await record({}, ISSUES, { lens: "a", lensFault: "first" });
  const executionId = await record({}, ISSUES, { lens: "a", lensFault: "second" });
  await record({}, ISSUES, { lens: "total", lensFault: null });
  expect(await lenses.failures("list")).toMatchObject({ count: 2, latest: { executionId, fault: "second" } });
});
