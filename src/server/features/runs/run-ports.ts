import type { Actor } from "../../../lib/contract/actor";
import type { ChatTool } from "../../../lib/contract/chat";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { AnnouncedCalls } from "../../calls/executions/private-calls";
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import type { ModelBudget } from "../../engine/agent/model-budget";
import type { CassettePlayer } from "../../engine/cassettes/cassette-ports";
import type { ToolExecutor } from "../../engine/executor/tool-executor";
import type { LensProjector } from "../../engine/lens/lens-ports";
import type { Clock, Logger, Masking } from "../../engine/ports";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import type { Bulletin } from "../../platform/coordination/bulletin";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Instances } from "../../platform/coordination/instances";
import type { RunStore } from "./run-store";

export interface RunServicePorts {
  store: RunStore;
  models: ModelDirectory;
  /** The catalog at the beginning of a turn. */
  tools: { list(): readonly ToolDefinition[]; get(name: string): ToolDefinition | undefined };
  /** The current toolset; null for an unknown one. */
  toolset?: ((name: string) => PreparedToolset | null) | undefined;
  executor: Pick<ToolExecutor, "execute">;
  executions: {
    get(id: string): Promise<ExecutionDetail>;
    ofRun(runId: string): Promise<{ id: string; callId: string | null; status: string }[]>;
    /** Ends a call, or withdraws one that waits for approval. */
    cancel(actor: Actor, id: string): Promise<unknown>;
    /** Resolves when a call that runs in this process has ended; at once for all others. */
    ended(id: string): Promise<void>;
  };
  /** @param inToolset the approval setting in the toolset */
  requiresApproval: (definition: ToolDefinition, inToolset?: boolean) => boolean;
  /** Requests that call some of these tools, as examples for a new user. */
  listExamples: (tools: readonly ChatTool[]) => string[];
  /** The data of a stored result, for `read_result`; absent: runs do not have that tool. */
  toData?: LensProjector["toData"] | undefined;
  /** Answers the calls of runs whose settings name a cassette. */
  cassettes?: CassettePlayer | undefined;
  /** Reaches runs wherever they are executed. */
  calls?: CallRegistry | undefined;
  copies: Pick<Instances, "self" | "list" | "isLiving" | "onExpelled">;
  bulletin: Bulletin;
  /** Whether runs of an instance that is lost or stops are continued by another one; else they are interrupted. */
  takesOver: boolean;
  /** Limits that count the cost of models; absent: there are none. */
  budget?: ModelBudget | undefined;
  maxIterations: number;
  maxModelChars: number;
  /** Calls of one response that are executed; 128 when absent. */
  maxCallsPerResponse?: number | undefined;
  newExecutionId: () => string;
  clock: Clock;
  logger: Logger;
  /** @param calls what a response calls, in the events that show it */
  publish: (event: LiveEvent, calls?: AnnouncedCalls) => void;
  /** The masks in place of marked values and known secrets in the stored log; absent where nothing is masked. */
  masking?: Masking | undefined;
}
