/** A case of `bench/hostile.ts`: retention deletes almost everything while calls run. */
import path from "node:path";
import Database from "../scripts/sqlite.mjs";
import { SEARCH_SUFFIX } from "../src/server/platform/db/private-files";
import { copyCalls } from "./copy-calls";
import type { Case, Context } from "./hostile-case";
import { startHostileServer } from "./hostile-server";

const SMALL = 40_000;
const LARGE = 100;
const LARGE_CHARS = 100_000;
const KEPT = 500;
const CALLERS = 4;
const BASELINE_MS = 15_000;

interface RetentionAnswer {
  sweeps: { executions: number; releasedBytes: number; startedAt: number; finishedAt: number; error: string | null }[];
}

/** @param probeLimitMs how long the server may take to answer the probe */
export function retentionCase(root: string, probeLimitMs: number): Case {
  return {
    name: `retention: deletes ${SMALL} small and ${LARGE} large calls while calls run`,
    async prepare(context) {
      const call = (characters: number) =>
        context.api("executions.run", {
          name: "echo",
          waitMs: 60_000,
          argumentsText: JSON.stringify({ text: "some words of an argument ".repeat(characters / 26) }),
        });
      const file = path.join(context.folder, "toolroom.db");
      await call(LARGE_CHARS);
      await context.server.kill();
      copyCalls(file, LARGE);
      context.server = await startHostileServer(root, context.folder);
      await call(300);
      await context.server.kill();
      rename(file);
      copyCalls(file, SMALL);
      context.server = await startHostileServer(root, context.folder);
      await call(10);
      await waitForIndex(file);
      await context.server.probe(probeLimitMs);
    },
    async run(context) {
      const before = await callFor(context, () => new Promise((resolve) => setTimeout(resolve, BASELINE_MS)));
      const stallBefore = await context.server.probe(probeLimitMs);
      await context.api("retention.save", { policy: { rules: [{ scope: "other", maxCount: KEPT }] } });
      const during = await callFor(context, () => waitForSweep(context));
      const sweep = during.result;
      const seconds = (sweep.finishedAt - sweep.startedAt) / 1000;
      const toText = ({ times }: { times: readonly number[] }): string =>
        `${times.length} calls, p99 ${Math.round(times[Math.floor(times.length / 100)] ?? 0)} ms, slowest ${Math.round(times[0] ?? 0)} ms`;
      process.stdout.write(
        `${sweep.executions} calls deleted in ${seconds.toFixed(1)} s, ${Math.round(sweep.releasedBytes / 1_048_576)} MiB given back\n` +
          `before: longest stall ${Math.round(stallBefore?.longestMs ?? 0)} ms; ${toText(before)}\nduring: ${toText(during)}\n`,
      );
      if (sweep.error !== null || sweep.executions < SMALL - KEPT)
        throw new Error(`${sweep.executions} deleted: ${sweep.error}`);
    },
  };
}

/** Calls a tool again and again until something has ended. @returns how long the calls took, the longest first */
async function callFor<T>({ api }: Context, wait: () => Promise<T>): Promise<{ times: number[]; result: T }> {
  const times: number[] = [];
  let ended = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!ended) {
      const begun = performance.now();
      await api("executions.run", { name: "echo", argumentsText: '{"text":"meanwhile"}', waitMs: 60_000 });
      times.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  const result = await wait().finally(() => {
    ended = true;
  });
  await Promise.all(callers);
  return { times: times.sort((one, other) => other - one), result };
}

async function waitForSweep({ api }: Context): Promise<RetentionAnswer["sweeps"][number]> {
  while (true) {
    const { sweeps } = await api<RetentionAnswer>("retention.get", undefined, "GET");
    const found = sweeps.find(({ executions, error }) => executions > 0 || error !== null);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function open(file: string, change: (db: Database) => void): void {
  const db = new Database(file);
  change(db);
  db.close();
}

/** Copies of one call have the same ids as those of the next one. */
function rename(file: string): void {
  open(file, (db) => db.exec(`UPDATE "Execution" SET id = id || '_large' WHERE id LIKE 'exec_copy%'`));
}

/** A start indexes the copied calls in the background, and a deletion of calls is measured that are indexed. */
async function waitForIndex(file: string): Promise<void> {
  while (true) {
    const index = new Database(file + SEARCH_SUFFIX, { readonly: true });
    const newest = Number(index.prepare("SELECT max(id) FROM Texts_docsize").pluck().get() ?? 0);
    index.close();
    if (newest >= SMALL) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
