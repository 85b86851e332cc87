import type { ExecutionSource, ExecutionStatus } from "./envelope";
import type { LogLine } from "./execution";

/** What a tab hears while it is open, in order, over one subscription. */
export type LiveEvent =
  | {
      type: "execution";
      execution: {
        id: string;
        toolName: string;
        status: ExecutionStatus;
        source: ExecutionSource;
        parentId: string | null;
      };
    }
  | { type: "execution_log"; executionId: string; line: LogLine }
  | { type: "execution_progress"; executionId: string; progress: number; total: number | null; message: string | null }
  /** The catalogue changed. */
  | { type: "tools" }
  /** The subscription begins; what happened before is in what was read before. */
  | { type: "hello" }
  /** Something may have been missed: read everything again. */
  | { type: "reset" };
