import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExecutionStart } from "../../../engine/ports";
import { removeWithJournals } from "../../../platform/db/copy-database";
import { anEnd, aStart } from "../execution.test-support";
import { MAX_INDEXED_BYTES } from "./execution-text";
import { KILLED_WORKER, useIndexedStore } from "./text-index.test-support";

const indexed = useIndexedStore();
const { record, search, hasBytes } = indexed;

type Act = (model: Model) => Promise<void>;
interface Model {
  running: ExecutionStart[];
  interrupted: ExecutionStart[];
  copies: number;
}

const WORDS = ["harbour", "zebra", "needle", "龘靐齉", "the server ended"];
const pick = <T>(list: T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
const listAll = () => indexed.db.raw.prepare('SELECT id FROM "Execution" ORDER BY seq').pluck().all() as string[];

/** One step of a generated sequence: a user records or deletes calls, the thread is killed, or the server restarts with other files. */
const acts = {
  record: (word: number) => async () => {
    await record(`{"a":"${pick(WORDS, word)}"}`);
  },
  recordMany: (word: number) => async () => {
    await Promise.all(Array.from({ length: 40 }, () => record(`{"a":"${pick(WORDS, word)} and more"}`)));
  },
  recordLarge: (word: number) => async () => {
    await record(`{"a":"${"x".repeat(MAX_INDEXED_BYTES)} ${pick(WORDS, word)}"}`);
  },
  begin:
    (word: number) =>
    async ({ running }: Model) => {
      const start = aStart({ argumentsText: `{"begun":"${pick(WORDS, word)}"}` });
      await indexed.store.begin(start);
      running.push(start);
    },
  finish:
    (at: number) =>
    async ({ running }: Model) => {
      const [start] = running.splice(at % Math.max(1, running.length), 1);
      if (start !== undefined)
        await indexed.store.finish(start, anEnd(start, { resultText: `"${pick(WORDS, at)} result"` }));
    },
  finishInterrupted:
    (at: number) =>
    async ({ interrupted }: Model) => {
      const [start] = interrupted.splice(at % Math.max(1, interrupted.length), 1);
      if (start === undefined || !listAll().includes(start.id)) return;
      await indexed.store.finish(start, anEnd(start, { resultText: `"${pick(WORDS, at)} late"` }));
    },
  delete: (at: number) => async () => {
    const ids = listAll();
    const chosen = ids.slice(at % Math.max(1, ids.length)).slice(0, 1 + (at % 5));
    await indexed.remove(chosen);
  },
  drain: () => drain,
  /** The thread ends after so many writes; the next request starts another. */
  kill: (writes: number) => async () => {
    if (!existsSync(indexed.file)) return;
    writeFileSync(`${indexed.file}.kill`, String(writes % 30));
    await indexed.store.drainIndex().catch(() => undefined);
    rmSync(`${indexed.file}.kill`, { force: true });
  },
  restart:
    () =>
    async ({ running, interrupted }: Model) => {
      await restartKilled();
      interrupted.push(...running.splice(0));
    },
  loseIndex:
    () =>
    async ({ running, interrupted }: Model) => {
      await restartKilled(() => removeWithJournals(indexed.file));
      interrupted.push(...running.splice(0));
    },
  copy: () => async (model: Model) => {
    model.copies += 1;
    rmSync(`${indexed.db.filePath}.copy${model.copies}`, { force: true });
    indexed.db.raw.prepare("VACUUM INTO ?").run(`${indexed.db.filePath}.copy${model.copies}`);
  },
  /** As users do who do not know of the index. */
  putBack: (at: number) => async (model: Model) => {
    if (model.copies === 0) return;
    await restartKilled(() => {
      removeWithJournals(indexed.db.filePath);
      copyFileSync(`${indexed.db.filePath}.copy${1 + (at % model.copies)}`, indexed.db.filePath);
    });
    model.running.length = 0;
    model.interrupted.length = 0;
    await record(`{"a":"${pick(WORDS, at)}"}`);
  },
} satisfies Record<string, (at: number) => Act>;

const restartKilled = (beforeStart?: () => void) => indexed.restart(beforeStart, KILLED_WORKER);

/** A thread that was told to end may do so now; the next request starts another. */
const drain = () => indexed.store.drainIndex().catch(() => indexed.store.drainIndex());

const readPlainly = (word: string) =>
  indexed.db.raw
    .prepare(
      `SELECT id FROM "Execution" WHERE instr(arguments || coalesce(result, '') || coalesce(error, ''), ?) > 0 ORDER BY seq DESC LIMIT 200`,
    )
    .pluck()
    .all(word);

describe("search with the trigram index", () => {
  const act = fc.tuple(fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])), fc.nat({ max: 1_000 }));

  it("finds what a plain scan finds, whatever happens to calls, to the thread, to the server and to its files", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (sequence) => {
        await restartKilled(() => {
          removeWithJournals(indexed.file);
        });
        const model: Model = { running: [], interrupted: [], copies: 0 };
        for (const [name, at] of sequence) {
          await acts[name](at)(model);
          for (const word of WORDS) expect([name, word, await search(word)]).toEqual([name, word, readPlainly(word)]);
        }
        await drain();
        indexed.expectExact();
        await indexed.remove(listAll());
        await drain();
        indexed.expectExact();
        expect(hasBytes("靐齉")).toBe(false);
      }),
      { numRuns: 25 },
    );
  }, 240_000);
});
