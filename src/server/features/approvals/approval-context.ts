import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode, ToolApproval } from "../../../lib/contract/approval";
import { type ApproverRule, findApproverRule, joinModes } from "../../../lib/contract/approver";
import type { ExecutionEnvelope, Fault } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ApprovalBroker } from "../../engine/approvals/approval-ports";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { Clock, Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { AppError } from "../../platform/shared/app-error";
import type { ApprovalStore, StoredApproval } from "./approval-store";
import { HeldArguments } from "./held-arguments";

const RECHECK_MS = 2_000;
export interface ApprovalServicePorts {
  store: ApprovalStore;
  clock: Clock;
  logger: Logger;
  /** How long a request stays open, in milliseconds. */
  expiryMs: number;
  /** Whether a call requires approval, by the tool's definition, its setting and the policies. Read for every call. */
  required: ApprovalBroker["required"];
  /** Whether a tool of the catalog requires approval and why, by the settings as they are now; null for an unknown tool. */
  approvalOf: (toolName: string) => ToolApproval | null;
  /** The approval setting of a name, in the catalog or not. */
  modeOf: (toolName: string) => ApprovalMode | null;
  /** Without accounts there is one person, who may approve everything. */
  accounts: boolean;
  /** Whether an approved call would run this definition, and not be refused because the tool changed. */
  runsNow: (toolName: string, definition: ToolDefinition) => boolean;
  /** Checks arguments for a tool as it is now. @throws AppError for an unknown tool */
  faultsOf: (toolName: string, args: unknown) => Promise<Fault[]>;
  /** Runs a call whose caller no longer listens. Never rejects. */
  execute: (name: string, args: unknown, options: ExecuteOptions) => Promise<ExecutionEnvelope>;
  /** The arguments as they are stored: with masks. */
  maskArguments: (definition: ToolDefinition | null, text: string) => string;
  jobs: Pick<Jobs, "handle" | "schedule">;
  /** Between checks for decided calls that nothing has continued, in milliseconds; 2 s when absent. */
  recheckMs?: number | undefined;
  /** Called after a request came, was decided or ended. */
  onChange: () => void;
  /** Called when a decided call without a waiting caller has ended, so that its run can be resumed. */
  onDecided?: ((executionId: string, runId: string | null) => void) | undefined;
}

/** What the parts of the approval service share. */
export interface ApprovalContext extends ApprovalServicePorts {
  held: HeldArguments;
  recheckMs: number;
  /** From now on nothing is decided; what is open stays open. */
  isStopping: boolean;
  /** The rule that says who may approve a call, from the setting when it was made and the current one; null for any operator. */
  findRule: (stored: Pick<StoredApproval, "toolName" | "mode">) => ApproverRule | null;
  /** @throws AppError for an execution without a request */
  find: (executionId: string) => Promise<StoredApproval>;
  /** Closes an open request as withdrawn. False when it was decided before. */
  withdraw: (executionId: string, by?: Actor | null) => Promise<boolean>;
}

export function createApprovalContext(ports: ApprovalServicePorts): ApprovalContext {
  const { store, clock } = ports;
  return {
    ...ports,
    recheckMs: ports.recheckMs ?? RECHECK_MS,
    isStopping: false,
    held: new HeldArguments(),

    findRule: ({ toolName, mode }) =>
      ports.accounts ? findApproverRule(joinModes(mode, ports.modeOf(toolName))) : null,

    async find(executionId) {
      const stored = await store.find(executionId);
      if (stored === null) throw new AppError("NOT_FOUND", `No approval was requested for execution '${executionId}'`);
      return stored;
    },

    async withdraw(executionId, by = null) {
      const decidedAt = clock.now();
      const withdrawn = await store.decide({ executionId, status: "withdrawn", decidedAt, by, reason: null });
      if (withdrawn) ports.onChange();
      return withdrawn;
    },
  };
}
