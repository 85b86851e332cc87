// Worker thread that brings ended calls into the search index. It alone writes to the file of the index, and reads the
// database over its own connection: recording calls does not wait for it.
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import Database from "../../../../../scripts/sqlite.mjs";

/** @typedef {{ seq: number, isEnded: 0 | 1, bytes: number }} Row what decides how a call is indexed */
/** @typedef {{ seq: number, arguments: string, result: string | null, error: string | null, reason: string | null }} Texts */
/** @typedef {{ low: number, high: number, changes: number, removed: number, purged: number }} State */
/** @typedef {{ left: number }} Budget bytes that a batch may still read */

const { database, file, maxBytes } = workerData;
const LOCK_WAIT_MS = 2_000;
/** The time between two answers, after which the thread can be closed. */
const SLICE_MS = 200;
/** Small batches cost more: each is a part of the index, which later ones are merged with. */
const BATCH_ROWS = 2048;
/** Some hundred milliseconds of indexing. */
const BATCH_BYTES = 2 * 1024 * 1024;
/** Bytes that FTS5 collects before it writes a part: more than the trigrams of a batch. */
const PART_BYTES = 4 * 1024 * 1024;
/** Of 4 KiB. */
const LOG_PAGES = 4000;
/** Added to the nice value of other threads: on a busy machine calls come first. */
const PRIORITY = 10;
/** Pages of the index that one step of a purge writes. */
const PURGE_PAGES = 64;
/** The pause after a purge, which writes the whole index, in lengths of it. */
const PURGE_PAUSE = 20;

try {
  // Linux gives each thread a priority of its own, by its number.
  setPriority(Number(path.basename(readlinkSync("/proc/thread-self"))), getPriority() + PRIORITY);
} catch {
  // Elsewhere threads share the priority of their process, which stays as it is.
}

const source = new Database(database, { readonly: true, fileMustExist: true, timeout: LOCK_WAIT_MS });
const index = new Database(file, { fileMustExist: true, timeout: LOCK_WAIT_MS });
index.pragma("synchronous = NORMAL");
// Deleted texts must not stay in pages that are free.
index.pragma("secure_delete = ON");
index.pragma("cache_size = -16000");
index.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
index.prepare("INSERT INTO Texts (Texts, rank) VALUES ('hashsize', CAST(? AS INTEGER))").run(PART_BYTES);

const ROW = `seq, status NOT IN ('running', 'waiting') AS isEnded,
  octet_length(arguments) + coalesce(octet_length(result), 0) + coalesce(octet_length(error), 0) + coalesce(octet_length(reason), 0) AS bytes`;
const ofSource = {
  changes: source.prepare('SELECT id, seq FROM "ExecutionTextChange" WHERE id > ? ORDER BY id LIMIT ?'),
  rows: source.prepare(`SELECT ${ROW} FROM "Execution" WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`),
  newer: source.prepare(`SELECT ${ROW} FROM "Execution" WHERE seq > ? ORDER BY seq LIMIT ?`),
  older: source.prepare(`SELECT ${ROW} FROM "Execution" WHERE seq <= ? ORDER BY seq DESC LIMIT ?`),
  texts: source.prepare('SELECT seq, arguments, result, error, reason FROM "Execution" WHERE seq = ?'),
  unended: source
    .prepare(
      `SELECT seq FROM "Execution" WHERE status IN ('running', 'waiting') AND status <> 'succeeded' AND seq > ? AND seq <= ?`,
    )
    .pluck(),
};
const ofIndex = {
  state: index.prepare("SELECT low, high, changes, removed, purged FROM State"),
  setState: index.prepare("UPDATE State SET low = ?, high = ?, changes = ?, removed = ?"),
  setPurged: index.prepare("UPDATE State SET purged = ?"),
  waiting: index.prepare("SELECT seq FROM Waiting ORDER BY seq").pluck(),
  isWaiting: index.prepare("SELECT 1 FROM Waiting WHERE seq = ?").pluck(),
  addWaiting: index.prepare("INSERT OR IGNORE INTO Waiting (seq) VALUES (CAST(? AS INTEGER))"),
  removeWaiting: index.prepare("DELETE FROM Waiting WHERE seq = ?"),
  addLarge: index.prepare("INSERT OR IGNORE INTO Large (seq) VALUES (CAST(? AS INTEGER))"),
  removeLarge: index.prepare("DELETE FROM Large WHERE seq = ?"),
  addTexts: index.prepare(
    "INSERT INTO Texts (rowid, arguments, result, error, reason) VALUES (CAST(? AS INTEGER), ?, ?, ?, ?)",
  ),
  removeTexts: index.prepare("DELETE FROM Texts WHERE rowid = CAST(? AS INTEGER)"),
  merge: index.prepare("INSERT INTO Texts (Texts, rank) VALUES ('merge', CAST(? AS INTEGER))"),
  totalChanges: index.prepare("SELECT total_changes()").pluck(),
};

/** @returns {State} */
const readState = () => /** @type {State} */ (ofIndex.state.get());

/**
 * The first rows whose texts fit the budget. One text always fits a whole one.
 * @param {Row[]} rows @param {Budget} budget @returns {Row[]}
 */
function takeFirst(rows, budget) {
  let count = 0;
  for (const { isEnded, bytes } of rows) {
    const needed = isEnded === 1 && bytes <= maxBytes ? bytes : 0;
    if (needed > budget.left) break;
    budget.left -= needed;
    count += 1;
  }
  return rows.slice(0, count);
}

/** Reads the next batch from the database, in one snapshot. */
const readBatch = source.transaction((/** @type {State} */ state) => {
  const budget = { left: BATCH_BYTES };
  const isIndexed = (/** @type {number} */ seq) => seq > state.low && seq <= state.high;
  /** @type {Row[]} */
  const puts = [];

  const changes = /** @type {{ id: number, seq: number }[]} */ (ofSource.changes.all(state.changes, BATCH_ROWS));
  const changed = new Set(changes.map(({ seq }) => seq));
  // Others are indexed when their turn comes.
  const kept = readRows([...changed].filter(isIndexed));
  const taken = takeFirst(kept, budget);
  puts.push(...taken);
  const isCut = taken.length < kept.length;
  if (isCut) {
    // A change is done once all before it are.
    const open = new Set(kept.slice(taken.length).map(({ seq }) => seq));
    const end = changes.findIndex(({ seq }) => open.has(seq));
    changes.splice(end);
    changed.clear();
    for (const { seq } of changes) changed.add(seq);
    const done = puts.filter(({ seq }) => changed.has(seq));
    puts.splice(0, puts.length, ...done);
  }

  const waiting = /** @type {number[]} */ (ofIndex.waiting.all()).filter((seq) => !changed.has(seq));
  const found = readRows(waiting);
  const isThere = new Set(found.map(({ seq }) => seq));
  const gone = waiting.filter((seq) => !isThere.has(seq));
  const allEnded = found.filter(({ isEnded }) => isEnded === 1);
  const ended = takeFirst(allEnded, budget);
  puts.push(...ended);

  const newer = /** @type {Row[]} */ (ofSource.newer.all(state.high, BATCH_ROWS));
  const newest = takeFirst(newer, budget);
  puts.push(...newest);
  const high = newest.at(-1)?.seq ?? state.high;

  const olderRows = state.low > 0 ? BATCH_ROWS - newer.length : 0;
  const older = olderRows > 0 ? /** @type {Row[]} */ (ofSource.older.all(state.low, olderRows)) : [];
  const oldest = takeFirst(older, budget);
  puts.push(...oldest);
  const isAtEnd = olderRows > 0 && older.length < olderRows && oldest.length === older.length;
  const low = isAtEnd ? 0 : oldest.length > 0 ? (oldest.at(-1)?.seq ?? 1) - 1 : state.low;

  /** @type {Texts[]} */
  const texts = [];
  puts.sort((left, right) => left.seq - right.seq);
  for (const { seq, isEnded, bytes } of puts) {
    if (isEnded === 1 && bytes <= maxBytes) texts.push(/** @type {Texts} */ (ofSource.texts.get(seq)));
  }
  const upTo = changes.at(-1)?.id ?? state.changes;
  return {
    changed: [...changed],
    noLongerWaiting: [...gone, ...ended.map(({ seq }) => seq)],
    unended: puts.filter(({ isEnded }) => isEnded === 0).map(({ seq }) => seq),
    large: puts.filter(({ isEnded, bytes }) => isEnded === 1 && bytes > maxBytes).map(({ seq }) => seq),
    texts,
    low,
    high,
    upTo,
    isEmpty: upTo === state.changes && high === state.high && low === state.low && gone.length + ended.length === 0,
    isMore:
      isCut ||
      changes.length === BATCH_ROWS ||
      ended.length < allEnded.length ||
      newer.length === BATCH_ROWS ||
      newest.length < newer.length ||
      low > 0,
  };
});

/** @param {number[]} seqs @returns {Row[]} */
function readRows(seqs) {
  return seqs.length === 0 ? [] : /** @type {Row[]} */ (ofSource.rows.all(JSON.stringify(seqs)));
}

const writeBatch = index.transaction(
  (/** @type {ReturnType<typeof readBatch>} */ batch, /** @type {State} */ state) => {
    let { removed } = state;
    for (const seq of batch.changed) {
      removed += ofIndex.removeTexts.run(seq).changes;
      ofIndex.removeWaiting.run(seq);
      ofIndex.removeLarge.run(seq);
    }
    for (const seq of batch.noLongerWaiting) ofIndex.removeWaiting.run(seq);
    for (const seq of batch.unended) ofIndex.addWaiting.run(seq);
    for (const seq of batch.large) ofIndex.addLarge.run(seq);
    for (const { seq, arguments: given, result, error, reason } of batch.texts) {
      ofIndex.addTexts.run(seq, given, result, error, reason);
    }
    ofIndex.setState.run(batch.low, batch.high, batch.upTo, removed);
  },
);

/** @returns {boolean} whether there is more */
function indexSome() {
  const state = readState();
  const batch = readBatch(state);
  if (!batch.isEmpty) writeBatch.immediate(batch, state);
  return batch.isMore;
}

/**
 * After a power cut the database may have lost the ends of calls that the index has: they are read again when they end.
 */
const returnUnended = index.transaction(() => {
  const state = readState();
  let { removed } = state;
  for (const seq of /** @type {number[]} */ (ofSource.unended.all(state.low, state.high))) {
    if (ofIndex.isWaiting.get(seq) !== undefined) continue;
    removed += ofIndex.removeTexts.run(seq).changes;
    ofIndex.removeLarge.run(seq);
    ofIndex.addWaiting.run(seq);
  }
  if (removed > state.removed) ofIndex.setState.run(state.low, state.high, state.changes, removed);
});

/** The purge that runs: the removed texts that its end takes out of the file, and the time that it has taken. */
let purge = /** @type {{ upTo: number, tookMs: number } | null} */ (null);
let purgeAgainAt = Number.NEGATIVE_INFINITY;

/**
 * Writes a part of the index again without the texts that were removed: FTS5 only marks them.
 * @returns {boolean} whether there is more
 */
function purgeSome() {
  const begun = performance.now();
  const { removed, purged } = readState();
  if (purge === null && removed === purged) return false;
  const isFirst = purge === null;
  purge ??= { upTo: removed, tookMs: 0 };
  const before = Number(ofIndex.totalChanges.get());
  // A negative number begins to merge everything into one part, the others continue.
  ofIndex.merge.run(isFirst ? -PURGE_PAGES : PURGE_PAGES);
  const isDone = !isFirst && Number(ofIndex.totalChanges.get()) - before < 2;
  purge.tookMs += performance.now() - begun;
  if (!isDone) return true;
  ofIndex.setPurged.run(purge.upTo);
  index.pragma("wal_checkpoint(TRUNCATE)");
  purgeAgainAt = performance.now() + purge.tookMs * PURGE_PAUSE;
  purge = null;
  return readState().removed > readState().purged;
}

/** @param {boolean} isWhole purges at once, also after another purge */
function work(isWhole) {
  const indexUntil = performance.now() + SLICE_MS;
  let isMore = true;
  while (isMore && performance.now() < indexUntil) isMore = indexSome();
  const { removed, purged, changes, low } = readState();
  if (purge === null && removed === purged) return { changes, low, isMore, againMs: null };
  const pauseMs = purgeAgainAt - performance.now();
  if (!isWhole && purge === null && pauseMs > 0) return { changes, low, isMore, againMs: Math.ceil(pauseMs) };
  const purgeUntil = performance.now() + SLICE_MS;
  let isUnclean = true;
  while (isUnclean && performance.now() < purgeUntil) isUnclean = purgeSome();
  return { changes, low, isMore: isMore || isUnclean, againMs: null };
}

let isReady = false;

parentPort?.on("message", ({ command, isWhole }) => {
  if (command === "close") {
    index.close();
    source.close();
    parentPort?.close();
    return;
  }
  try {
    if (!isReady) returnUnended.immediate();
    isReady = true;
    parentPort?.postMessage({ done: work(isWhole) });
  } catch (error) {
    const { code = "", message, stack } = /** @type {Error & { code?: string }} */ (error);
    parentPort?.postMessage({ failed: { code, message, stack } });
  }
});
