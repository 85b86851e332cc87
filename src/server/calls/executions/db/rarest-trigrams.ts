import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import { prepareColumn } from "../../../platform/db/sqlite/prepare-column";
import { readIndex } from "./text-index-reader";

/** The number of trigrams whose frequency is read. */
const PROBED_TRIGRAMS = 24;
/** Rows of a trigram that most rows have, on one page of the index. */
const ROWS_A_PAGE = 4_000;
/** Trigrams of a query: the first ones in any case, the others as long as they leave out more rows than they take to read. */
const LEAST_TRIGRAMS = 3;
const MOST_TRIGRAMS = 8;
/** Pages of rows that are compared with the text sooner than another trigram's rows are read. */
const FEW_PAGES = 0.05;
const MANY_PAGES = 64;

/** Prepares the choice of the rarest trigrams of a text, by the pages of the index that each fills. */
export function prepareRarest(raw: RawDatabase): (trigrams: readonly string[]) => readonly string[] {
  const newest = prepareColumn<[], number | null>(raw, 'SELECT max(seq) FROM "Execution"').get() ?? 0;
  return (trigrams) => {
    const step = Math.max(1, trigrams.length / PROBED_TRIGRAMS);
    const probed = Array.from(
      { length: Math.ceil(trigrams.length / step) },
      (_, index) => trigrams[Math.floor(index * step)] ?? "",
    );
    const pages = readIndex(raw, (index) => probed.map(preparePageCount(index)));
    return pages === null
      ? probed
      : chooseRarest(
          probed.map((trigram, at) => ({ trigram, pages: pages[at] ?? 0 })),
          newest,
        );
  };
}

function chooseRarest(probed: { trigram: string; pages: number }[], newest: number): string[] {
  const all = Math.max(1, newest / ROWS_A_PAGE);
  let left = all;
  const chosen = probed
    .toSorted((one, other) => one.pages - other.pages)
    .slice(0, MOST_TRIGRAMS)
    .filter(({ pages }, index) => {
      const isFrequent = pages > all / 2 && left < MANY_PAGES;
      if (index >= LEAST_TRIGRAMS && (left < FEW_PAGES || isFrequent)) return false;
      left *= Math.min(1, pages / all);
      return true;
    });
  return chosen.map(({ trigram }) => trigram);
}

/** Counts the pages of a trigram. FTS5's own index has the first term of each page, with a 0 before it, and the page's number times two. */
function preparePageCount(index: RawDatabase): (trigram: string) => number {
  const segments = prepareColumn<[], number>(
    index,
    `WITH RECURSIVE step(value) AS (
       SELECT min(segid) FROM Texts_idx
       UNION ALL
       SELECT (SELECT min(segid) FROM Texts_idx WHERE segid > value) FROM step WHERE value IS NOT NULL
     )
     SELECT value FROM step WHERE value IS NOT NULL`,
  ).all();
  const find = prepareColumn<[number, Buffer, number, Buffer], number | null>(
    index,
    `SELECT ((SELECT pgno FROM Texts_idx WHERE segid = ? AND term > ? ORDER BY term LIMIT 1) >> 1)
       - ((SELECT pgno FROM Texts_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1) >> 1)`,
  );
  return (trigram) => {
    const term = Buffer.from(`0${trigram.toLowerCase()}`);
    return segments.reduce((sum, segment) => sum + (find.get(segment, term, segment, term) ?? 0), 0);
  };
}
