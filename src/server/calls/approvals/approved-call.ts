import type { ApprovalItem, ApprovalMode, ApprovalOutcome, ToolApproval } from "../../../lib/contract/approval";
import { joinModes } from "../../../lib/contract/approver";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExact, readExact, writeExact } from "../../../lib/json/exact-text";
import type { ApprovalResult } from "../../engine/approvals/approval-ports";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { parseArgumentsText } from "../../platform/shared/parse-json-text";
import type { ApprovalRecord, StoredApproval } from "./approval-store";
import type { HeldArguments } from "./held-arguments";

/** The reason that calls show which an allowance of their run approved. */
export const ALLOWED_REASON = "Always allowed in this run";

/** Another user decided first, or the request had expired. */
export function tooLate({ status, decidedBy }: StoredApproval): ApprovalOutcome {
  return { decided: false, status, faults: [], decidedBy };
}

export function withdrawal(): DOMException {
  return new DOMException("The request for approval was withdrawn", "AbortError");
}

/** Null for a request that is open or was withdrawn. @param held may have the arguments without masks */
export function toApprovalResult(stored: StoredApproval, held: HeldArguments): ApprovalResult | null {
  const { status, decidedBy, reason, requestedAt, expiresAt } = stored;
  const at = stored.decidedAt ?? requestedAt;
  switch (status) {
    case "approved": {
      if (decidedBy === null) return null;
      const edited = stored.requestedArgumentsText !== null;
      return {
        approved: true,
        by: decidedBy,
        at,
        reason,
        definition: stored.definition,
        ...(edited ? { args: held.getEdited(stored.executionId) ?? editedElsewhere(stored, held) } : {}),
      };
    }
    case "rejected":
      return { approved: false, kind: "rejected", by: decidedBy, at, reason };
    case "expired":
      return { approved: false, kind: "approval_expired", by: null, at, reason, waitedMs: expiresAt - requestedAt };
    case "open":
    case "withdrawn":
      return null;
  }
}

/** An edit made elsewhere: the masks in its stored text represent the values that this process holds. */
function editedElsewhere({ executionId, argumentsText }: StoredApproval, held: HeldArguments): CallArguments {
  return held.restore(executionId, CallArguments.parse(argumentsText));
}

/** The call with its original options. Its effective time limit stays. */
export function toExecuteOptions(stored: StoredApproval): ExecuteOptions {
  const { executionId, source, actor, client, protocol, toolset, tokenId, runId, callId, parentId, timeoutMs } = stored;
  return {
    executionId,
    waiting: true,
    source,
    actor,
    skipValidation: stored.validationSkipped,
    ...(client === null ? {} : { client }),
    ...(protocol === null ? {} : { protocol }),
    ...(toolset === null ? {} : { toolset }),
    ...(tokenId === null ? {} : { tokenId }),
    ...(runId === null ? {} : { runId }),
    ...(callId === null ? {} : { callId }),
    ...(parentId === null ? {} : { parentId }),
    ...(timeoutMs === null ? {} : { timeoutMs }),
  };
}

export function toItem(stored: StoredApproval, ports: CatalogPorts): ApprovalItem {
  const { waits, owner, callId, parentId, protocol, toolset, tokenId, timeoutMs, validationSkipped, ...item } = stored;
  return withCatalog(item, ports);
}

/** Returns the facts of a call's tool in the catalog now. */
export interface CatalogPorts {
  /** Whether a tool of the catalog requires approval and why, by the settings as they are now; null for an unknown tool. */
  getApproval: (toolName: string) => ToolApproval | null;
  /** Whether an approved call would run this definition, and not be refused because the tool changed. */
  runsNow: (toolName: string, definition: ToolDefinition) => boolean;
  /** The approval setting of a name, in the catalog or not. */
  getMode: (toolName: string) => ApprovalMode | null;
}

/** Adds what the catalog says about the tool now. */
export function withCatalog(item: ApprovalRecord, { getApproval, runsNow, getMode }: CatalogPorts): ApprovalItem {
  const { toolName, definition } = item;
  const mode = item.status === "open" ? joinModes(item.mode, getMode(toolName)) : item.mode;
  // A rule may have another tool run the call: that one was shown.
  const runs = definition?.name ?? toolName;
  const approval = getApproval(runs);
  return {
    ...item,
    mode,
    approval,
    toolChanged: approval !== null && definition !== null && !runsNow(runs, definition),
  };
}

/** The arguments as a user edited them; null where their value is unchanged. @throws AppError for a text that is not JSON */
export async function readEdit(
  stored: StoredApproval,
  argumentsText: string | undefined,
): Promise<CallArguments | null> {
  if (argumentsText === undefined || argumentsText === stored.argumentsText) return null;
  const edited = await parseArgumentsText(argumentsText);
  return toPlainText(argumentsText) === toPlainText(stored.argumentsText) ? null : edited;
}

/** The text without its layout, with the digits of its numbers. */
const toPlainText = (text: string): string | undefined => writeExact(readExact(parseExact(text)));
