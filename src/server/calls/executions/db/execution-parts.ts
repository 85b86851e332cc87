import type { ExecutionAnalysis, ExecutionStore } from "../execution-store";
import type { CommitBatch } from "./execution-journal";
import type { ExecutionIndexer } from "./text-indexer";

/** The parts of the execution store that have an implementation for each kind of database. */
export interface ExecutionParts {
  commit: CommitBatch;
  indexer: ExecutionIndexer;
  list: Pick<ExecutionStore, "list" | "count">;
  analysis: ExecutionAnalysis;
  /** The columns of `SummaryRow`. */
  summaryColumns: string;
}
