import { closeSync, copyFileSync, existsSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { ExecutionStart, Logger } from "../../../engine/ports";
import { type LoggedLine, recordingLogger } from "../../../engine/recording-logger.test-support";
import { removeWithJournals } from "../../../platform/db/copy-database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { restoreDatabase } from "../../../platform/db/restore-database";
import { anEnd, aStart, INDEX_WORKER, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";
import { MAX_INDEXED_BYTES } from "./execution-text";
import { interruptOrphans } from "./interrupt-orphans";
import { buildIndexContent, readIndexBytes, readIndexContent } from "./text-index.test-support";
import { indexFileOf } from "./text-index-file";

const KILLED_WORKER = path.join(import.meta.dirname, "text-index-killed.test-support.mjs");

let scratch: ScratchDatabase;
let store: ExecutionStore;
let log: LoggedLine[];

function openStore(logger: Logger = quietLogger(), indexWorker: string | undefined = INDEX_WORKER): ExecutionStore {
  return createExecutionStore({ db: scratch.db, logger, instanceId: "inst_a", clock: systemClock, indexWorker });
}

beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = openStore();
});
afterEach(async () => {
  await store.close();
  await scratch.remove();
});

/** A start of the server, with what is done to its files before it. */
async function restart(beforeStart: () => void | Promise<void> = () => undefined): Promise<void> {
  await store.close();
  await scratch.db.close();
  await beforeStart();
  await scratch.reopen();
  await interruptOrphans(scratch.db, quietLogger());
  const logger = recordingLogger();
  log = logger.lines;
  store = openStore(logger);
}

async function record(argumentsText: string): Promise<string> {
  const start = aStart({ argumentsText });
  await store.record(start, anEnd(start));
  return start.id;
}

const search = async (q: string) => (await store.list({ q }, { limit: 200 })).items.map(({ id }) => id);
const file = () => indexFileOf(scratch.filePath);
const whole = () => buildIndexContent(scratch.db, MAX_INDEXED_BYTES);

/** The index has exactly what the calls give. */
async function expectWhole(): Promise<void> {
  await store.drainIndex();
  const newest = Number(scratch.db.raw.prepare("SELECT max(seq) FROM Execution").pluck().get() ?? 0);
  const { state, content } = readIndexContent(scratch.db);
  expect(content).toEqual(whole());
  expect(state).toMatchObject({ low: 0, unpurged: 0 });
  expect((state as { high: number }).high).toBeGreaterThanOrEqual(newest);
}

const rebuilds = () =>
  log.filter(({ message }) => message.includes("is built in the background")).map(({ fields }) => fields.reason);

describe("the trigram index", () => {
  it("the end of a call that had been taken for interrupted replaces what was indexed", async () => {
    const start = aStart();
    await store.begin(start);
    const { raw } = scratch.db;
    raw.prepare("UPDATE Execution SET status = 'interrupted', error = 'the server ended' WHERE id = ?").run(start.id);
    await store.drainIndex();
    expect(await search("server ended")).toEqual([start.id]);
    await store.finish(start, anEnd(start, { resultText: '"true outcome"' }));
    expect(await search("true outcome")).toEqual([start.id]);
    await store.drainIndex();
    expect(await search("true outcome")).toEqual([start.id]);
    expect(await search("server ended")).toEqual([]);
    await expectWhole();
  });

  it("deleting rows and VACUUM leave it right", async () => {
    const gone = await record('{"a":"needle one"}');
    const kept = await record('{"a":"needle two"}');
    await store.drainIndex();
    const { raw } = scratch.db;
    raw.prepare("DELETE FROM Execution WHERE id = ?").run(gone);
    raw.exec("VACUUM");
    const after = await record('{"a":"needle three"}');
    await store.drainIndex();
    expect(await search("needle")).toEqual([after, kept]);
    await expectWhole();
  });

  it("a deleted text is not in the bytes of the index, whichever part of it was written when", async () => {
    const gone: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      gone.push(await record(`{"a":"secret 龘靐齉 ${at}"}`));
      await Promise.all(Array.from({ length: 60 }, (_, other) => record(`{"a":"harbour ${at} ${other}"}`)));
      await store.drainIndex();
    }
    const trace = Buffer.from("靐齉");
    expect(readIndexBytes(scratch.db).includes(trace)).toBe(true);
    await store.delete(gone, { actor: "local-owner", at: 1, includePinned: true });
    await store.drainIndex();
    expect(readIndexBytes(scratch.db).includes(trace)).toBe(false);
    await expectWhole();
  });

  it("a deletion reaches the index without a wish for it, and after a start in between", async () => {
    const gone = await record('{"a":"secret 龘靐齉"}');
    await store.drainIndex();
    await store.close();
    store = openStore(quietLogger(), undefined);
    await store.delete([gone], { actor: "local-owner", at: 1, includePinned: true });
    await restart();
    await waitUntil(() => expect(readIndexBytes(scratch.db).includes(Buffer.from("靐齉"))).toBe(false));
    // One row of changes is left, whose number is not given again.
    await waitUntil(() =>
      expect(Number(scratch.db.raw.prepare("SELECT count(*) FROM ExecutionTextChange").pluck().get())).toBe(1),
    );
    expect(rebuilds()).toEqual([]);
  });

  it("finds a text whose rare characters stand among frequent ones, and one that has only frequent ones", async () => {
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    const rare = await record('{"a":"zebra delivery 3 to the harbour"}');
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    await store.drainIndex();
    expect(await search("zebra delivery")).toEqual([rare]);
    expect(await search("a delivery 3 to the harbour")).toEqual([rare]);
    expect(await store.count({ q: "delivery 3 to the harbour" }, { isThorough: true })).toMatchObject({ count: 115 });
    expect(await search("yebra delivery")).toEqual([]);
  });

  it("rows left unindexed by a server that ended are indexed by the next", async () => {
    await record('{"a":"leftover"}');
    await store.close();
    expect(existsSync(file())).toBe(false);
    await restart();
    expect((await search("leftover")).length).toBe(1);
    await expectWhole();
    expect((await search("leftover")).length).toBe(1);
  });

  it("is used: of the calls that it has, only those that have the characters are read", async () => {
    await Promise.all(Array.from({ length: 50 }, () => record('{"a":"harbour"}')));
    const found = await record('{"a":"zebra"}');
    await store.drainIndex();
    // A text that the index does not know of.
    scratch.db.raw.exec(`UPDATE "Execution" SET arguments = '{"a":"zebra too"}' WHERE seq = 1`);
    expect(await search("zebra")).toEqual([found]);
  });

  it("has a call that is indexed while others run, without writing to its row", async () => {
    const running = aStart({ argumentsText: '{"a":"slow"}' });
    await store.begin(running);
    await record('{"a":"fast"}');
    const before = scratch.db.raw.prepare('SELECT * FROM "Execution"').all();
    await store.drainIndex();
    expect(readIndexContent(scratch.db).content).toEqual(whole());
    expect(scratch.db.raw.prepare('SELECT * FROM "Execution"').all()).toEqual(before);
    await store.finish(running, anEnd(running));
    await expectWhole();
  });

  it.skipIf(process.platform === "win32")("is in files that their user alone can read", async () => {
    await record('{"a":"private"}');
    await store.drainIndex();
    const modes = ["", "-wal", "-shm"].map((suffix) => (statSync(file() + suffix).mode & 0o777).toString(8));
    expect(modes).toEqual(["600", "600", "600"]);
  });
});

describe("a file of the trigram index that", () => {
  const fill = async () => {
    const ids: string[] = [];
    for (let at = 0; at < 30; at += 1) ids.unshift(await record(`{"a":"needle ${at}"}`));
    await store.drainIndex();
    return ids;
  };

  it("belongs to the database is used by the next start as it is", async () => {
    const ids = await fill();
    await restart();
    await restart();
    expect(await search("needle")).toEqual(ids);
    await expectWhole();
    expect(rebuilds()).toEqual([]);
  });

  it.each([
    ["is missing", "there is none", () => removeWithJournals(file())],
    ["is no database", "it is damaged", () => writeFileSync(file(), "not a database")],
    ["is empty", "it is damaged", () => writeFileSync(file(), "")],
    [
      "is of another version",
      "it is of another version",
      () => {
        const index = new Database(file());
        index.exec("UPDATE State SET version = 0");
        index.close();
      },
    ],
  ])("%s is built again, and searches find every call at once", async (_what, reason, damage) => {
    const ids = await fill();
    await restart(damage);
    expect(await search("needle")).toEqual(ids);
    await expectWhole();
    expect(await search("needle")).toEqual(ids);
    expect(rebuilds()).toEqual([reason]);
    expect(log.map(({ message }) => message)).toContain("The search index has all calls");
  });

  it("is damaged inside is built again when a search or the thread finds it", async () => {
    const ids = await fill();
    await restart(() => {
      const index = new Database(file());
      const page = Number(index.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'Texts_data'").pluck().get());
      const size = Number(index.pragma("page_size", { simple: true }));
      index.close();
      const handle = openSync(file(), "r+");
      writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
      closeSync(handle);
    });
    await record('{"a":"another"}');
    expect((await search("needle")).toSorted()).toEqual(ids.toSorted());
    await waitUntil(async () => expect(rebuilds()).toEqual(["it is damaged"]));
    await expectWhole();
    expect(await search("needle")).toEqual(ids);
  });

  it("was left beside an earlier state of the database, whose numbers are given again, is built again", async () => {
    await record('{"a":"needle first"}');
    await store.drainIndex();
    const earlier = `${scratch.filePath}.earlier`;
    scratch.db.raw.prepare("VACUUM INTO ?").run(earlier);
    await record('{"a":"needle lost"}');
    await store.drainIndex();
    await restart(() => {
      removeWithJournals(scratch.filePath);
      copyFileSync(earlier, scratch.filePath);
    });
    const other = await record('{"a":"zebra"}');
    expect(await search("zebra")).toEqual([other]);
    expect((await search("needle")).length).toBe(1);
    await expectWhole();
    expect(rebuilds()).toEqual(["it is of a later state of the database"]);
  });

  it("was parted from the database while both went on is built again", async () => {
    await fill();
    await restart();
    const parted = `${scratch.filePath}.parted`;
    await restart(() => copyFileSync(file(), parted));
    await record('{"a":"zebra"}');
    await restart();
    await restart(() => copyFileSync(parted, file()));
    expect((await search("zebra")).length).toBe(1);
    await expectWhole();
    expect(rebuilds()).toEqual(["it is of another database"]);
  });

  it("is removed with the restore of a backup, and has no call that came after it", async () => {
    await record('{"a":"needle first"}');
    const backup = `${scratch.filePath}.backup.db`;
    scratch.db.raw.prepare("VACUUM INTO ?").run(backup);
    await record('{"a":"secret 龘靐齉"}');
    await store.drainIndex();
    await restart(async () => {
      await restoreDatabase(scratch.url, backup);
      expect(existsSync(file())).toBe(false);
    });
    await expectWhole();
    expect(readIndexBytes(scratch.db).includes(Buffer.from("靐齉"))).toBe(false);
    expect((await search("needle")).length).toBe(1);
  });
});

type Act = (model: Model) => Promise<void>;
interface Model {
  running: ExecutionStart[];
  interrupted: ExecutionStart[];
  copies: number;
}

const WORDS = ["harbour", "zebra", "needle", "龘靐齉", "the server ended"];
const pick = <T>(list: T[], at: number): T | undefined => list[at % Math.max(1, list.length)];
const listAll = () => scratch.db.raw.prepare('SELECT id FROM "Execution" ORDER BY seq').pluck().all() as string[];

/** What users do with calls, and what happens to the server and its files. */
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
      await store.begin(start);
      running.push(start);
    },
  finish:
    (at: number) =>
    async ({ running }: Model) => {
      const [start] = running.splice(at % Math.max(1, running.length), 1);
      if (start !== undefined) await store.finish(start, anEnd(start, { resultText: `"${pick(WORDS, at)} result"` }));
    },
  finishInterrupted:
    (at: number) =>
    async ({ interrupted }: Model) => {
      const [start] = interrupted.splice(at % Math.max(1, interrupted.length), 1);
      if (start === undefined || !listAll().includes(start.id)) return;
      await store.finish(start, anEnd(start, { resultText: `"${pick(WORDS, at)} late"` }));
    },
  delete: (at: number) => async () => {
    const ids = listAll();
    const chosen = ids.slice(at % Math.max(1, ids.length)).slice(0, 1 + (at % 5));
    await store.delete(chosen, { actor: "local-owner", at: 1, includePinned: true });
  },
  drain: () => () => store.drainIndex(),
  /** The thread ends after so many writes; the next request starts another. */
  kill: (writes: number) => async () => {
    if (!existsSync(file())) return;
    writeFileSync(`${file()}.kill`, String(writes % 30));
    await store.drainIndex().catch(() => undefined);
    rmSync(`${file()}.kill`, { force: true });
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
      await restartKilled(() => removeWithJournals(file()));
      interrupted.push(...running.splice(0));
    },
  copy: () => async (model: Model) => {
    model.copies += 1;
    rmSync(`${scratch.filePath}.copy${model.copies}`, { force: true });
    scratch.db.raw.prepare("VACUUM INTO ?").run(`${scratch.filePath}.copy${model.copies}`);
  },
  /** As users do who do not know of the index. */
  putBack: (at: number) => async (model: Model) => {
    if (model.copies === 0) return;
    await restartKilled(() => {
      removeWithJournals(scratch.filePath);
      copyFileSync(`${scratch.filePath}.copy${1 + (at % model.copies)}`, scratch.filePath);
    });
    model.running.length = 0;
    model.interrupted.length = 0;
    await record(`{"a":"${pick(WORDS, at)}"}`);
  },
} satisfies Record<string, (at: number) => Act>;

async function restartKilled(beforeStart?: () => void): Promise<void> {
  await store.close();
  await scratch.db.close();
  beforeStart?.();
  await scratch.reopen();
  await interruptOrphans(scratch.db, quietLogger());
  store = openStore(quietLogger(), KILLED_WORKER);
}

const readPlainly = (word: string) =>
  scratch.db.raw
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
          removeWithJournals(file());
        });
        const model: Model = { running: [], interrupted: [], copies: 0 };
        for (const [name, at] of sequence) {
          await acts[name](at)(model);
          for (const word of WORDS) expect([name, word, await search(word)]).toEqual([name, word, readPlainly(word)]);
        }
        await expectWhole();
        const ids = listAll();
        await store.delete(ids, { actor: "local-owner", at: 1, includePinned: true });
        await expectWhole();
        expect(readIndexBytes(scratch.db).includes(Buffer.from("靐齉"))).toBe(false);
      }),
      { numRuns: 40 },
    );
  }, 240_000);
});
