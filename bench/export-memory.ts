import { createExecutionReads } from "../src/server/calls/executions/execution-reads";
import type { ExecutionStore } from "../src/server/calls/executions/execution-store";
import {
  answerExport,
  EXPORT_FORMATS,
  type ExportChoice,
  exportExecutions,
} from "../src/server/calls/executions/export-executions";

import type { Database } from "../src/server/platform/db/database";

const MIB = 1_048_576;
/** The export is divided into as many parts, whose peaks of memory are compared. */
const PARTS = 5;

/** Rows of a page of the loop that exports are compared with. */
const PAGE = 200;

/** The same rows, read in pages and written as JSON: what an export is compared with. */
async function measureLoop(db: Pick<Database, "rows">): Promise<string> {
  const before = process.cpuUsage();
  const begun = performance.now();
  let bytes = 0;
  let read = 0;
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await db.rows<{ seq: number }>(
      `SELECT * FROM "Execution" WHERE seq < ? ORDER BY seq DESC LIMIT ${PAGE}`,
      below,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) bytes += JSON.stringify(row).length;
    read += rows.length;
    below = last.seq;
  }
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(before);
  return `| a loop over the rows, ${read.toLocaleString("en")} calls | ${Math.round(bytes / MIB)} | ${seconds.toFixed(0)} | ${Math.round(read / seconds)} | ${((user + system) / 1e6).toFixed(0)} | |`;
}

/** Exports every execution in each format, read as a client does, and prints the peak of the process's memory in each part of the way. */
export async function measureExports(store: ExecutionStore, db: Pick<Database, "rows">, calls: number): Promise<void> {
  const limits = { maxModelChars: 20_000 } as Parameters<typeof createExecutionReads>[0]["limits"];
  const { list, getMany } = createExecutionReads({ store, limits, currentHash: () => null }).contents;
  console.log(
    `\n| export of all | MiB written | s | calls a second | processor time, s | peak of memory (heap) in each fifth, MiB |\n| :--- | ---: | ---: | ---: | ---: | :--- |`,
  );
  console.log(await measureLoop(db));
  const formats = EXPORT_FORMATS.filter((format) => (process.env.FORMATS ?? format).split(",").includes(format));
  for (const format of formats) {
    const peaks = Array.from({ length: PARTS }, () => ({ rss: 0, heap: 0 }));
    let read = 0;
    const getCounted = async (ids: readonly string[]) => {
      read += ids.length;
      const peak = peaks[Math.min(PARTS - 1, Math.floor((read / calls) * PARTS))];
      const { rss, heapUsed } = process.memoryUsage();
      if (peak !== undefined)
        Object.assign(peak, { rss: Math.max(peak.rss, rss), heap: Math.max(peak.heap, heapUsed) });
      return await getMany(ids);
    };
    const counted = { export: (choice: ExportChoice) => exportExecutions({ list, getMany: getCounted }, choice) };
    const stopping = new AbortController().signal;
    const watch = () => () => undefined;
    const before = process.cpuUsage();
    const begun = performance.now();
    const response = answerExport(counted, { filter: {}, format, bom: false, isLimited: false, watch, stopping });
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.length;
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(before);
    const memory = peaks.map(({ rss, heap }) => `${Math.round(rss / MIB)} (${Math.round(heap / MIB)})`).join(", ");
    console.log(
      `| ${format}, ${read.toLocaleString("en")} calls | ${Math.round(bytes / MIB)} | ${seconds.toFixed(0)} | ${Math.round(read / seconds)} | ${((user + system) / 1e6).toFixed(0)} | ${memory} |`,
    );
  }
}
