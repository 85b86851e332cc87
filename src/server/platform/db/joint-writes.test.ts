import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import { createScratchDatabase, type ScratchDatabase } from "./database.test-support";

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  scratch.db.raw.exec("CREATE TABLE Note (text TEXT NOT NULL)");
});
afterEach(() => scratch.remove());

const insert = (text: string | null) => scratch.db.raw.prepare("INSERT INTO Note VALUES (?)").run(text);
const notes = () => scratch.db.raw.prepare("SELECT text FROM Note ORDER BY rowid").pluck().all();

function countFromOutside(): unknown {
  const other = new Database(scratch.filePath, { readonly: true });
  try {
    return other.prepare("SELECT count(*) FROM Note").pluck().get();
  } finally {
    other.close();
  }
}

describe("writeTogether", () => {
  it("commits what arrives within one turn at once: nobody sees a part of it", async () => {
    let seen: unknown = null;
    await Promise.all([
      scratch.db.writeTogether(() => void insert("answer")),
      scratch.db.writeTogether((isPart) => {
        seen = [isPart, countFromOutside()];
        insert("call");
      }),
    ]);
    expect(seen).toEqual([true, 0]);
    expect(notes()).toEqual(["answer", "call"]);
  });

  it("keeps what others write when one work fails, and tells each how it went", async () => {
    const outcomes = await Promise.allSettled([
      scratch.db.writeTogether(() => void insert("first")),
      scratch.db.writeTogether(() => void insert(null)),
      scratch.db.writeTogether(() => void insert("third")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(notes()).toEqual(["first", "third"]);
  });

  it("runs a work that comes alone in a transaction of its own making", async () => {
    let wasPart: boolean | null = null;
    await scratch.db.writeTogether((isPart) => {
      wasPart = isPart;
      insert("alone");
    });
    expect(wasPart).toBe(false);
    expect(notes()).toEqual(["alone"]);
  });

  it("commits at once, in this turn, what nothing will join", async () => {
    let turnEnded = false;
    setImmediate(() => {
      turnEnded = true;
    });
    await scratch.db.writeTogether(() => void insert("alone"), true);
    expect([turnEnded, countFromOutside()]).toEqual([false, 1]);
  });

  it("adds what could be committed at once to what waits already", async () => {
    let seen: unknown = null;
    await Promise.all([
      scratch.db.writeTogether(() => void insert("answer")),
      scratch.db.writeTogether((isPart) => {
        seen = [isPart, countFromOutside()];
      }, true),
    ]);
    expect(seen).toEqual([true, 0]);
  });

  it("takes what arrives while a group is written into the next one", async () => {
    const later: Promise<void>[] = [];
    await scratch.db.writeTogether(() => {
      insert("now");
      for (const text of ["b", "c"]) later.push(scratch.db.writeTogether(() => void insert(text)));
    });
    await Promise.all(later);
    expect(notes()).toEqual(["now", "b", "c"]);
  });
});
