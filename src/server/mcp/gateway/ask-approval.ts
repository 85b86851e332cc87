import type { Principal } from "../../../lib/contract/access";
import type { InteractionAnswer } from "../../../lib/contract/interaction";
import type { JsonSchema } from "../../../lib/contract/json";
import type { CallerApprovals, CallerDecision } from "../../engine/approvals/approval-ports";
import type { InteractionHandler, Logger } from "../../engine/ports";

export interface AskedApproval {
  approvals: CallerApprovals;
  logger: Logger;
  interact: InteractionHandler;
  caller: Principal;
  executionId: string;
  client: string;
}

const QUESTION = "approval";
const ATTEMPTS = 2;
const MAX_REASON_CHARS = 2000;
const RETRY = "The answer did not match the form: choose Approve or Reject.";

/** Values that are readable as they are: titles of choices differ between the revisions of the protocol. */
const CHOICES = ["Approve", "Reject"] as const;

/** The form has no default: clients may fill it in and answer without a user. */
export const APPROVAL_FORM: JsonSchema = {
  type: "object",
  properties: {
    decision: { type: "string", title: "Decision", enum: [...CHOICES] },
    reason: {
      type: "string",
      title: "Reason",
      description: "Optional. The caller receives it, and the execution log keeps it.",
      maxLength: MAX_REASON_CHARS,
    },
  },
  required: ["decision"],
};

/**
 * Asks the user of the caller's client. Resolves when the request is decided or the client asks no longer. Never rejects.
 * @param ended aborts when the request was decided elsewhere or its call ended @param gone aborts when the client has disconnected
 */
export async function askApproval(asked: AskedApproval, ended: AbortSignal, gone: AbortSignal): Promise<void> {
  const { approvals, caller, executionId, client, logger } = asked;
  try {
    const message = await approvals.open(caller, executionId, client);
    if (message === null) return;
    const decision = await readDecision(asked, message, AbortSignal.any([ended, gone]));
    if (decision !== null) return await approvals.decide(caller, executionId, client, decision);
  } catch (error) {
    if (ended.aborted) return;
    const detail = { execution_id: executionId, error: String(error) };
    if (!gone.aborted) logger.warn(detail, "Gateway: an approval in a client failed");
  }
  await approvals.close(executionId).catch((error: unknown) => {
    logger.warn({ execution_id: executionId, error: String(error) }, "Gateway: an approval could not be updated");
  });
}

/** The decision; null where the client gave none. */
async function readDecision(
  { interact }: Pick<AskedApproval, "interact">,
  message: string,
  signal: AbortSignal,
): Promise<CallerDecision | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const text = attempt === 1 ? message : `${RETRY}\n${message}`;
    const answer = await interact({ kind: "form", message: text, schema: APPROVAL_FORM }, signal, QUESTION);
    if (answer === null || answer.action === "cancel") return null;
    const decision = toDecision(answer);
    if (decision !== null) return decision;
  }
  return null;
}

/** Null for content that does not match the form. */
function toDecision(answer: InteractionAnswer): CallerDecision | null {
  if (answer.action !== "accept") return { approved: false };
  const { decision, reason = "" } = answer.content ?? {};
  const choice = CHOICES.find((each) => each === decision);
  if (choice === undefined) return null;
  const approved = choice === "Approve";
  if (reason === null || reason === "") return { approved };
  return typeof reason === "string" && reason.length <= MAX_REASON_CHARS ? { approved, reason } : null;
}
