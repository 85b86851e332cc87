import { explainDenial, isLimited, type Principal, type Role } from "../../../lib/contract/access";
import { isServiceAccount } from "../../../lib/contract/actor";
import { listValues, readPurpose } from "../../../lib/format/call-effect";
import type { CallerApprovals } from "../../engine/approvals/approval-ports";
import { AppError } from "../../platform/shared/app-error";
import type { ActingPorts } from "../../platform/shared/audited-call";
import type { ApprovalRequests } from "./approval-requests";
import type { createApprovalService } from "./approval-service";
import type { StoredApproval } from "./approval-store";
import { auditDecisions } from "./decisions";

export interface ClientApprovalPorts {
  requests: Pick<ApprovalRequests, "find" | "findRule" | "noteAsked">;
  approvals: Pick<ReturnType<typeof createApprovalService>, "get" | "decide">;
  acting: ActingPorts;
  /** The role of now; null for a user that is not known. */
  readRole: (userId: string) => Role | null;
}

const NAMED_APPROVER = "The setting or rule of this call names an approver: decide under Approvals in Toolroom";

/**
 * Approvals that callers decide in the windows of their MCP clients. A client can answer without asking its user: so only calls
 * that any operator may approve, the caller too, and only by callers that may decide in the inbox.
 */
export function createClientApprovals({ requests, approvals, acting, readRole }: ClientApprovalPorts): CallerApprovals {
  const { decide } = auditDecisions(approvals, acting);

  const isOwn = (caller: Principal, stored: StoredApproval): boolean =>
    stored.actor.id === caller.id && stored.runId === null && requests.findRule(stored) === null;

  /** Null for a user who is gone, and for a service account, which approves nothing. */
  function readCaller(caller: Principal): Principal | null {
    if (isServiceAccount(caller)) return null;
    const role = readRole(caller.id);
    const origin = caller.origin ?? { door: "gateway" as const, address: null };
    return role === null ? null : { ...caller, role, origin };
  }

  return {
    async open(caller, executionId, client) {
      const now = readCaller(caller);
      if (now === null || explainDenial(now, "run") !== null) return null;
      if (now.token !== null && isLimited(now.token)) return null;
      const stored = await requests.find(executionId);
      if (stored.status !== "open" || !isOwn(now, stored)) return null;
      return (await requests.noteAsked(executionId, client)) ? describeRequest(stored) : null;
    },

    async decide(caller, executionId, client, decision) {
      const now = readCaller(caller);
      if (now === null || !isOwn(now, await requests.find(executionId))) throw new AppError("DENIED", NAMED_APPROVER);
      await decide({ ...now, client }, executionId, decision);
    },

    async close(executionId) {
      await requests.noteAsked(executionId, null);
    },
  };
}

/** Text of servers and models stands in quotation marks, on one line, after the name of its author. */
function describeRequest({ toolName, definition, argumentsText }: StoredApproval): string {
  const purpose = definition === null ? "" : readPurpose(definition);
  const values = listValues(argumentsText);
  const isDestructive = definition?.annotations?.destructiveHint === true;
  return [
    `Toolroom: run the tool ${quote(toolName)}${isDestructive ? ", which is marked destructive" : ""}?`,
    ...(purpose === "" ? [] : [`Description by the author of the tool: ${quote(purpose)}`]),
    values === "" ? "Without arguments." : `Arguments by the caller: ${quote(values)}`,
  ].join("\n");
}

/** Control characters, line breaks and characters that are invisible or turn the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

function quote(text: string): string {
  return `“${text.replace(UNSEEN, " ").replace(/[“”]/g, '"').trim()}”`;
}
