import type { ExecutionSource, ExecutionStatus } from "./envelope";
import type { LogLine } from "./execution";
import type { RunLive, RunSource, RunStatus } from "./run";
import type { ServerLogLine } from "./server";

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
  /** A server's state, settings or tools changed; or which servers there are. */
  | { type: "servers"; server: string }
  | { type: "server_log"; server: string; line: ServerLogLine }
  /** A server asks a person something, or no longer does. */
  | { type: "interactions" }
  /** A call asks for approval, or no longer does. */
  | { type: "approvals" }
  /** A run began, changed its state, or its sums did. */
  | { type: "run"; run: { id: string; status: RunStatus; source: RunSource; transcriptId: string | null } }
  | RunLive
  /** Segments, queries or answers of a transcript came; or the list of transcripts changed. */
  | { type: "transcript"; transcriptId: string }
  /** Model providers or checks changed. */
  | { type: "models" }
  /** The subscription begins; what happened before is in what was read before. */
  | { type: "hello" }
  /** Something may have been missed: read everything again. */
  | { type: "reset" };
