import type {
  ApprovalFacts,
  ApprovalItem,
  ApprovalPolicy,
  ApprovalStatus,
  ToolApproval,
} from "@/lib/contract/approval";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";

export const APPROVAL_LABELS: Record<ApprovalStatus, string> = {
  open: "Needs approval",
  approved: "Approved",
  rejected: "Rejected",
  expired: "Expired",
  withdrawn: "Withdrawn",
};

/** Names the user who decided, for the middle of a sentence; a decision without a name was the server's. */
export function formatDecider({ decidedBy }: Pick<ApprovalFacts, "decidedBy">): string {
  return decidedBy?.name ?? "the server";
}

/** ` in claude-code`, where the decision was made in the caller's MCP client. */
export function formatDecisionClient({ decidedIn }: Pick<ApprovalFacts, "decidedIn">): string {
  return decidedIn === null ? "" : ` in ${toClientName(decidedIn)}`;
}

/** Returns the name without the version: `claude-code` for `claude-code/1.2.3`. */
export function toClientName(client: string): string {
  const slash = client.lastIndexOf("/");
  return slash <= 0 ? client : client.slice(0, slash);
}

/** Names the door that a call came through and the program that sent it. */
export function formatApprovalOrigin({ source, client }: Pick<ApprovalItem, "source" | "client">): string {
  return client === null ? source : `${source} · ${client}`;
}

/** The setting that decides whether a tool requires approval. @param server the MCP server the tool runs on, or null */
export function describeApprovalCause({ required, because }: ToolApproval, server: string | null): string {
  switch (because) {
    case "person":
      return "set on this tool";
    case "definition":
      return "set in the tool's definition";
    case "hint":
      return server === null ? "marked destructive" : "marked destructive by the server";
    case "server":
      return required ? 'server policy "Always"' : "server policy";
    case "policy":
      return required ? 'global policy "Always"' : "global policy";
  }
}

/** Whether a tool requires approval, and why. */
export function describeApprovalReason(approval: ToolApproval, server: string | null): string {
  const rule = findApproverRule(approval.mode);
  const by = rule === null ? "" : ` by ${describeApprovers(rule, null)}`;
  if (by !== "") return `Approval required${by}: ${describeApprovalCause(approval, server)}.`;
  return `${approval.required ? "Approval required" : "No approval required"}: ${describeApprovalCause(approval, server)}.`;
}

/** The approval policies of a server; the empty value follows the global policy. */
export const POLICY_LABELS: Readonly<Record<ApprovalPolicy | "", string>> = {
  "": "Global default",
  destructive: "Destructive tools",
  always: "Always",
  never: "Never",
};

/** The policy of a choice in a list; undefined for the global default. */
export function toPolicy(choice: string): ApprovalPolicy | undefined {
  return choice === "destructive" || choice === "always" || choice === "never" ? choice : undefined;
}

/** How long until `expiresAt`, whole minutes while there are some, so that it does not fidget; null once it is over. */
export function formatTimeLeft(expiresAt: number, now: number): string | null {
  const seconds = Math.ceil((expiresAt - now) / 1_000);
  if (seconds <= 0) return null;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}
