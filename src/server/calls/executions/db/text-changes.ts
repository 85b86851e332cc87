import { change, type Steps } from "../../../platform/db/sql";

/** Notes on SQLite that texts of calls change, in the transaction that changes them. A trigger notes those that are deleted. */
export function* noteTextChanged(seqs: readonly number[]): Steps<void> {
  if (seqs.length === 0) return;
  yield* change('INSERT INTO "ExecutionTextChange" (seq, removed) SELECT value, 0 FROM json_each(?)', seqs);
}
