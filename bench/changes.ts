/**
 * `npm run bench:changes`: the recorded calls of one tool (`CALLS`, 100,000 by default) checked by a change of it, on SQLite
 * and PostgreSQL: time, processor time of the whole process, and the longest stall of the event loop meanwhile.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createTrafficChecks } from "../src/server/features/changes/check-traffic";
import { createTrafficStore } from "../src/server/features/changes/db/traffic-store";
import type { Database } from "../src/server/platform/db/database";
import { createTrafficChecker } from "../src/server/platform/workers/traffic-checker";
import { openBenchDatabases, readKind } from "./bench-database";

const CALLS = Number(process.env.CALLS ?? 100_000);
const ROUNDS = 3;
const AT_ONCE = 20_000;

async function fill(db: Database): Promise<void> {
  const text = `'{"query":"orders of customer cus_' || (i * 7919 % 1000003) || '","limit":' || (i % 90) || ',"unit":"' ||
    CASE WHEN i % 25 = 0 THEN 'kelvin' ELSE 'celsius' END || '","note":"the usual delivery to the warehouse in the harbour, second gate on the left"' ||
    CASE WHEN i % 3 = 0 THEN ',"priority":2' ELSE '' END || '}'`;
  const result = `'{"content":[{"type":"text","text":"ok"}],"structuredContent":{"orders":[{"id":"ord_' || (i % 1000003) ||
    '","total":' || (i % 977) || '}],"temperature":12}}'`;
  const insert = `INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "startedAt", "finishedAt",
      "executionTimeMs", "resultBytes", "storedBytes", "instanceId", arguments, result, client, searchable)
    WITH RECURSIVE n(i) AS (SELECT CAST(? AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
    SELECT 'exec_bench' || i, 'succeeded', 'shop__find', 'gateway', 'user_' || (i % 12), 'User ' || (i % 12), ${Date.now()} - i, 1, 2,
      1.5, 300, 300, 'bench', ${text}, ${result}, 'client-' || (i % 5) || '/1.0', 1 FROM n`;
  for (let first = 0; first < CALLS; first += AT_ONCE) await db.change(insert, first, Math.min(first + AT_ONCE, CALLS));
  if (db.kind === "postgres") await db.pool.query('VACUUM ANALYZE "Execution"');
}

const inputSchema = (unit: string[], ...required: string[]) => ({
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, maxLength: 500 },
    limit: { type: "integer", minimum: 0, maximum: 100 },
    unit: { enum: unit },
    note: { type: "string" },
    priority: { type: "integer" },
  },
  required: ["query", ...required],
  additionalProperties: false,
});
const outputSchema = (temperature: string) => ({
  type: "object",
  properties: {
    orders: {
      type: "array",
      items: { type: "object", properties: { id: { type: "string" }, total: { type: "number" } } },
    },
    [temperature]: { type: "number" },
  },
});
const ENTRIES = {
  before: { inputSchema: inputSchema(["celsius", "kelvin"]), outputSchema: outputSchema("temperature") },
  after: { inputSchema: inputSchema(["celsius"], "priority"), outputSchema: outputSchema("temperature_c") },
};

async function main(): Promise<void> {
  const checker = createTrafficChecker({ home: process.cwd() });
  const databases = await openBenchDatabases(readKind());
  const { db, remove } = await databases.create();
  try {
    await fill(db);
    const checkTraffic = createTrafficChecks({ store: createTrafficStore(db), checker, now: Date.now });
    const request = { tool: "find", catalogName: "shop__find", entries: ENTRIES };
    // The thread starts, and the statements are prepared.
    await checkTraffic({ ...request, window: { calls: 1_000, since: null } });
    for (let round = 0; round < ROUNDS; round += 1) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const begun = performance.now();
      const cpu = process.cpuUsage();
      const { verdict } = await checkTraffic({ ...request, window: { calls: CALLS, since: null } });
      const tookMs = performance.now() - begun;
      const { user, system } = process.cpuUsage(cpu);
      delay.disable();
      const { total, counts, broken } = verdict;
      const cpuMs = (user + system) / 1000;
      console.log(
        `${db.product}: ${total} calls in ${(tookMs / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of processor time), ` +
          `longest stall ${(delay.max / 1e6).toFixed(1)} ms, p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms; ` +
          `${counts.accepted} accepted, ${counts.rejected} rejected, ${broken} broken`,
      );
    }
  } finally {
    await checker.close();
    await remove();
    await databases.close();
  }
}

await main();
