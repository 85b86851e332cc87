import type { ErrorKind, ExecutionSource, ExecutionStatus } from "./envelope";
import type { LogLine } from "./execution";
import type { RunLive, RunSource, RunStatus } from "./run";
import type { ServerLogLine } from "./server";
import type { SuiteRun } from "./suite";

/** An event for open pages, in order, over one subscription. */
export type LiveEvent =
  | {
      type: "execution";
      execution: {
        id: string;
        toolName: string;
        /** The name that the caller used, where it is another. */
        calledAs?: string;
        status: ExecutionStatus;
        /** Absent where it has not failed. */
        errorKind?: ErrorKind;
        source: ExecutionSource;
        parentId: string | null;
      };
    }
  /** `before`: the number of lines of the call before this one. */
  | { type: "execution_log"; executionId: string; line: LogLine; before: number }
  | { type: "execution_progress"; executionId: string; progress: number; total: number | null; message: string | null }
  /** The catalog changed. */
  | { type: "tools" }
  /** A toolset was created, changed or deleted. */
  | { type: "toolsets" }
  /** A skill of the team was created, changed or deleted. */
  | { type: "skills" }
  /** A cassette was created, changed or deleted, or a session used one. */
  | { type: "cassettes" }
  /** A server was added, removed or changed. */
  | { type: "servers"; server: string }
  | { type: "server_log"; server: string; line: ServerLogLine }
  /** A server's request for user input opened or closed. */
  | { type: "interactions" }
  /** A request for approval opened or closed. */
  | { type: "approvals" }
  /** A run started, or its status changed. */
  | { type: "run"; run: { id: string; status: RunStatus; source: RunSource; transcriptId: string | null } }
  | RunLive
  /** The disk of the database became full, or has room again. */
  | { type: "system" }
  /** Webhooks or their deliveries changed. */
  | { type: "webhooks" }
  /** Suites, evals or their runs changed. `run`: it began or ended. */
  | { type: "suites"; run?: Pick<SuiteRun, "id" | "kind" | "name" | "status" | "trigger" | "total" | "passed"> }
  /** Rules for calls changed. */
  | { type: "rules" }
  /** Alert rules changed, or an alert fired or was resolved. */
  | { type: "alerts" }
  /** A saved view was saved or deleted. */
  | { type: "views" }
  /** Sessions or calls of MCP clients were recorded. */
  | { type: "clients" }
  /** Model providers changed. */
  | { type: "models" }
  /** The rights or the sessions of a user changed; of anyone for null. */
  | { type: "account"; personId: string | null }
  /** The session of this page has ended; the last event. */
  | { type: "signed_out" }
  /** The subscription started; earlier changes are in data that was read before. */
  | { type: "hello" }
  /** Events may have been lost: read everything again. */
  | { type: "reset" };
