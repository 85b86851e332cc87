import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, it } from "vitest";
import Database from "../../../../../scripts/sqlite.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { removeWithJournals } from "../../../platform/db/copy-database";
import { restoreDatabase } from "../../../platform/db/restore-database";
import { anEnd, aStart } from "../execution.test-support";
import { useIndexedStore } from "./text-index.test-support";

const indexed = useIndexedStore();
const { record, search, restart, expectWhole, hasBytes, listRebuilds } = indexed;

describe("the trigram index", () => {
  it("the end of a call that had been taken for interrupted replaces what was indexed", async () => {
    const start = aStart();
    await indexed.store.begin(start);
    const { raw } = indexed.db;
    raw.prepare("UPDATE Execution SET status = 'interrupted', error = 'the server ended' WHERE id = ?").run(start.id);
    await indexed.store.drainIndex();
    expect(await search("server ended")).toEqual([start.id]);
    await indexed.store.finish(start, anEnd(start, { resultText: '"true outcome"' }));
    expect(await search("true outcome")).toEqual([start.id]);
    await indexed.store.drainIndex();
    expect(await search("true outcome")).toEqual([start.id]);
    expect(await search("server ended")).toEqual([]);
    await expectWhole();
  });

  it("deleting rows and VACUUM leave it right", async () => {
    const gone = await record('{"a":"needle one"}');
    const kept = await record('{"a":"needle two"}');
    await indexed.store.drainIndex();
    const { raw } = indexed.db;
    raw.prepare("DELETE FROM Execution WHERE id = ?").run(gone);
    raw.exec("VACUUM");
    const after = await record('{"a":"needle three"}');
    await indexed.store.drainIndex();
    expect(await search("needle")).toEqual([after, kept]);
    await expectWhole();
  });

  it("a deleted text is not in the bytes of the index, whichever part of it was written when", async () => {
    const gone: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      gone.push(await record(`{"a":"secret 龘靐齉 ${at}"}`));
      await Promise.all(Array.from({ length: 60 }, (_, other) => record(`{"a":"harbour ${at} ${other}"}`)));
      await indexed.store.drainIndex();
    }
    expect(hasBytes("靐齉")).toBe(true);
    await indexed.remove(gone);
    await indexed.store.drainIndex();
    expect(hasBytes("靐齉")).toBe(false);
    await expectWhole();
  });

  it("a deletion reaches the index without a wish for it, and after a start in between", async () => {
    const gone = await record('{"a":"secret 龘靐齉"}');
    await indexed.store.drainIndex();
    await restart(undefined, null);
    await indexed.remove([gone]);
    await restart();
    await waitUntil(() => expect(hasBytes("靐齉")).toBe(false));
    // One row of changes is left, whose number is not given again.
    await waitUntil(() =>
      expect(Number(indexed.db.raw.prepare("SELECT count(*) FROM ExecutionTextChange").pluck().get())).toBe(1),
    );
    expect(listRebuilds()).toEqual([]);
  });

  it("finds a text whose rare characters stand among frequent ones, and one that has only frequent ones", async () => {
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    const rare = await record('{"a":"zebra delivery 3 to the harbour"}');
    await Promise.all(Array.from({ length: 400 }, (_, at) => record(`{"a":"delivery ${at % 7} to the harbour"}`)));
    await indexed.store.drainIndex();
    expect(await search("zebra delivery")).toEqual([rare]);
    expect(await search("a delivery 3 to the harbour")).toEqual([rare]);
    expect(await indexed.store.count({ q: "delivery 3 to the harbour" }, { isThorough: true })).toMatchObject({
      count: 115,
    });
    expect(await search("yebra delivery")).toEqual([]);
  });

  it("rows left unindexed by a server that ended are indexed by the next", async () => {
    await record('{"a":"leftover"}');
    await indexed.store.close();
    expect(existsSync(indexed.file)).toBe(false);
    await restart();
    expect((await search("leftover")).length).toBe(1);
    await expectWhole();
    expect((await search("leftover")).length).toBe(1);
  });

  it("is used: of the calls that it has, only those that have the characters are read", async () => {
    await Promise.all(Array.from({ length: 50 }, () => record('{"a":"harbour"}')));
    const found = await record('{"a":"zebra"}');
    await indexed.store.drainIndex();
    // A text that the index does not know of.
    indexed.db.raw.exec(`UPDATE "Execution" SET arguments = '{"a":"zebra too"}' WHERE seq = 1`);
    expect(await search("zebra")).toEqual([found]);
  });

  it("has a call that is indexed while others run, without writing to its row", async () => {
    const running = aStart({ argumentsText: '{"a":"slow"}' });
    await indexed.store.begin(running);
    await record('{"a":"fast"}');
    const before = indexed.db.raw.prepare('SELECT * FROM "Execution"').all();
    await indexed.store.drainIndex();
    expect(indexed.readContent()).toEqual(indexed.buildContent());
    expect(indexed.db.raw.prepare('SELECT * FROM "Execution"').all()).toEqual(before);
    await indexed.store.finish(running, anEnd(running));
    await expectWhole();
  });

  it.skipIf(process.platform !== "linux")("is filled by a thread that leaves the processor to all others", async () => {
    // The nineteenth field of a thread's state is its nice value; the name before may have spaces.
    const readNice = (task: string) =>
      Number(readFileSync(`/proc/self/task/${task}/stat`, "utf8").split(") ")[1]?.split(" ")[16]);
    await record('{"a":"first"}');
    await indexed.store.drainIndex();
    const others = getPriority();
    expect(readNice(String(process.pid))).toBe(others);
    expect(readdirSync("/proc/self/task").map(readNice)).toContain(others + 10);
  });

  it.skipIf(process.platform === "win32")("is in files that their user alone can read", async () => {
    await record('{"a":"private"}');
    await indexed.store.drainIndex();
    const modes = ["", "-wal", "-shm"].map((suffix) => (statSync(indexed.file + suffix).mode & 0o777).toString(8));
    expect(modes).toEqual(["600", "600", "600"]);
  });
});

describe("a file of the trigram index that", () => {
  const fill = async () => {
    const ids: string[] = [];
    for (let at = 0; at < 30; at += 1) ids.unshift(await record(`{"a":"needle ${at}"}`));
    await indexed.store.drainIndex();
    return ids;
  };

  it("belongs to the database is used by the next start as it is", async () => {
    const ids = await fill();
    await restart();
    await restart();
    expect(await search("needle")).toEqual(ids);
    await expectWhole();
    expect(listRebuilds()).toEqual([]);
  });

  it.each([
    ["is missing", "there is none", () => removeWithJournals(indexed.file)],
    ["is no database", "it is damaged", () => writeFileSync(indexed.file, "not a database")],
    ["is empty", "it is damaged", () => writeFileSync(indexed.file, "")],
    [
      "is of another version",
      "it is of another version",
      () => {
        const index = new Database(indexed.file);
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
    expect(listRebuilds()).toEqual([reason]);
    expect(indexed.logger.lines.map(({ message }) => message)).toContain("The search index has all calls");
  });

  it("is damaged inside is built again when a search or the thread finds it", async () => {
    const ids = await fill();
    await restart(() => {
      const index = new Database(indexed.file);
      const page = Number(index.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'Texts_data'").pluck().get());
      const size = Number(index.pragma("page_size", { simple: true }));
      index.close();
      const handle = openSync(indexed.file, "r+");
      writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
      closeSync(handle);
    });
    await record('{"a":"another"}');
    expect((await search("needle")).toSorted()).toEqual(ids.toSorted());
    await waitUntil(async () => expect(listRebuilds()).toEqual(["it is damaged"]));
    await expectWhole();
    expect(await search("needle")).toEqual(ids);
  });

  it("was left beside an earlier state of the database, whose numbers are given again, is built again", async () => {
    await record('{"a":"needle first"}');
    await indexed.store.drainIndex();
    const earlier = `${indexed.db.filePath}.earlier`;
    indexed.db.raw.prepare("VACUUM INTO ?").run(earlier);
    await record('{"a":"needle lost"}');
    await indexed.store.drainIndex();
    await restart(() => {
      removeWithJournals(indexed.db.filePath);
      copyFileSync(earlier, indexed.db.filePath);
    });
    const other = await record('{"a":"zebra"}');
    expect(await search("zebra")).toEqual([other]);
    expect((await search("needle")).length).toBe(1);
    await expectWhole();
    expect(listRebuilds()).toEqual(["it is of a later state of the database"]);
  });

  it("was parted from the database while both went on is built again", async () => {
    await fill();
    await restart();
    const parted = `${indexed.db.filePath}.parted`;
    await restart(() => copyFileSync(indexed.file, parted));
    await record('{"a":"zebra"}');
    await restart();
    await restart(() => copyFileSync(parted, indexed.file));
    expect((await search("zebra")).length).toBe(1);
    await expectWhole();
    expect(listRebuilds()).toEqual(["it is of another database"]);
  });

  it("is removed with the restore of a backup, and has no call that came after it", async () => {
    await record('{"a":"needle first"}');
    const backup = `${indexed.db.filePath}.backup.db`;
    indexed.db.raw.prepare("VACUUM INTO ?").run(backup);
    await record('{"a":"secret 龘靐齉"}');
    await indexed.store.drainIndex();
    await restart(async () => {
      await restoreDatabase(indexed.url, backup);
      expect(existsSync(indexed.file)).toBe(false);
    });
    await expectWhole();
    expect(hasBytes("靐齉")).toBe(false);
    expect((await search("needle")).length).toBe(1);
  });
});
