import { createExecutionReads } from "../src/server/calls/executions/execution-reads";
import type { ExecutionStore } from "../src/server/calls/executions/execution-store";
import {
  answerExport,
  EXPORT_FORMATS,
  type ExportChoice,
  exportExecutions,
} from "../src/server/calls/executions/export-executions";

const MIB = 1_048_576;
/** The export is divided into as many parts, whose peaks of memory are compared. */
const PARTS = 5;

/** Exports every execution in each format, read as a client does, and prints the peak of the process's memory in each part of the way. */
export async function measureExports(store: ExecutionStore, calls: number): Promise<void> {
  const limits = { maxModelChars: 20_000 } as Parameters<typeof createExecutionReads>[0]["limits"];
  const { list, getMany } = createExecutionReads({ store, limits, currentHash: () => null }).contents;
  console.log(
    `\n| export of all | MiB written | s | calls a second | processor time, s | peak of memory (heap) in each fifth, MiB |\n| :--- | ---: | ---: | ---: | ---: | :--- |`,
  );
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
