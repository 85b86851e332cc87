import type { ApprovalFacts, ApprovalItem, ApprovalStatus, ToolApproval } from "@/lib/contract/approval";

export const APPROVAL_LABELS: Record<ApprovalStatus, string> = {
  open: "Waiting for approval",
  approved: "Approved",
  rejected: "Rejected",
  expired: "Expired",
  withdrawn: "Withdrawn",
};

/** Who decided, in the middle of a sentence; a decision without a name was the server's. */
export function decider({ decidedBy }: Pick<ApprovalFacts, "decidedBy">): string {
  return decidedBy?.name ?? "the server";
}

/** From where a call came, and with which program. */
export function approvalOrigin({ source, client }: Pick<ApprovalItem, "source" | "client">): string {
  return client === null ? source : `${source} · ${client}`;
}

/** Why a tool asks a person, or why it does not. */
export function approvalReason({ required, because, mode }: ToolApproval): string {
  if (because === "person") {
    return mode === "never" ? "Set here to never ask a person." : "Set here to always ask a person first.";
  }
  if (because === "definition") {
    return required
      ? "Its definition says that a person is asked first."
      : "Its definition says that nobody has to be asked.";
  }
  if (because === "hint") return "It may destroy something, by its own hint, so a person is asked first.";
  return required
    ? "The server's policy asks a person before every tool."
    : "The server's policy does not ask for this tool.";
}

/** How long until `expiresAt`, whole minutes while there are some, so that it does not fidget; null once it is over. */
export function timeLeft(expiresAt: number, now: number): string | null {
  const seconds = Math.ceil((expiresAt - now) / 1_000);
  if (seconds <= 0) return null;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}
