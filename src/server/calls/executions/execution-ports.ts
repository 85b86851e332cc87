import type { Actor } from "../../../lib/contract/actor";
import type { ContentKind } from "../../../lib/contract/execution-kind";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { Lenses } from "../../engine/lens/lens-calls";
import type { ExecutionLimits } from "../../engine/ports";
import type { ResultRedactor } from "../../engine/rules/rule-ports";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Instances } from "../../platform/coordination/instances";
import type { RunningExecutions } from "./execution-calls";
import type { ExecutionStore } from "./execution-store";
import type { PrivateCalls } from "./private-calls";

export interface ExecutionServicePorts {
  running: RunningExecutions;
  store: ExecutionStore;
  /** The calls that a reader may read. */
  privateCalls: Pick<PrivateCalls, "hidden" | "mayReadRun" | "servers">;
  limits: ExecutionLimits;
  newId: () => string;
  /** Hash of the tool's definition as it is in the catalog now; null when there is no such tool. */
  currentHash: (toolName: string) => string | null;
  /** The current tags of each tool in the catalog; absent: none. */
  listTags?: (() => Iterable<readonly [toolName: string, tags: readonly string[]]>) | undefined;
  /** Withdraws the approval request of a call that does not run in this process. False where none is open. */
  withdrawApproval?: ((actor: Actor, executionId: string) => Promise<boolean>) | undefined;
  /** Ids of running calls that wait for a user to answer their server. */
  listAwaitingInput?: (() => Promise<string[]>) | undefined;
  /** The calls that a change which waits breaks, by its hash; absent: none. */
  listBroken?: ((hash: string) => Promise<string[]>) | undefined;
  /** The current lenses of tools, and their evaluator; absent: none. */
  lenses?: Lenses | undefined;
  /** Redacts stored results as callers received them; absent: rules redact none. */
  redactor?: ResultRedactor | undefined;
  /** Returns the definition that a recorded read of a resource or prompt runs again. */
  contentTool?: ((kind: ContentKind, server: string) => ExecuteOptions["provided"]) | undefined;
  /** Reaches calls of every instance. */
  calls?: CallRegistry | undefined;
  /** The instances of the server that may run calls; absent: this process alone. */
  copies?: Pick<Instances, "self" | "list" | "isLiving"> | undefined;
}
