import { z } from "zod";
import { type ApprovalOutcome, approvalItemSchema } from "../../../lib/contract/approval";
import { defineRoute } from "../../platform/api/route";
import { describePage, pageQuery, toPage } from "../../platform/api/route-inputs";
import { AppError, invalidInput } from "../../platform/shared/app-error";

const APPROVAL = "/approvals/{executionId}";

const listApprovals = defineRoute({
  method: "GET",
  path: "/approvals",
  permission: "read",
  response: describePage(approvalItemSchema),
  summary: "List requests for approval, newest first",
  query: pageQuery.extend({ status: z.enum(["open", "decided"]).default("open") }),
  answer: async ({ services }, { query: { status, cursor, limit } }) =>
    toPage(await services.approvals.list(status, cursor, limit)),
});

const getApproval = defineRoute({
  method: "GET",
  path: APPROVAL,
  permission: "read",
  response: approvalItemSchema,
  summary: "Get the request for approval of an execution",
  answer: ({ services }, { param }) => services.approvals.get(param("executionId")),
});

const decideApproval = defineRoute({
  method: "POST",
  path: `${APPROVAL}/decide`,
  permission: "run",
  response: approvalItemSchema,
  summary: "Approve or reject a call",
  body: z.strictObject({
    approved: z.boolean(),
    reason: z.string().trim().max(2000).optional().describe("Sent to the caller and to the model"),
    arguments: z.record(z.string(), z.unknown()).optional().describe("Run with these; only with `approved`"),
    scope: z.literal("run").optional().describe("Later calls of this tool in the same run need no approval"),
    confirmed: z.boolean().optional().describe("Runs a destructive call whose caller disconnected"),
  }),
  async answer({ services: { approvals }, actor }, { param, body: { arguments: edited, ...decision }, readArguments }) {
    const id = param("executionId");
    const argumentsText = edited === undefined ? undefined : readArguments().text;
    rejectUndecided(await approvals.decide(actor, id, { ...decision, argumentsText }));
    return await approvals.get(id);
  },
});

/** @throws AppError that says why nothing was decided */
function rejectUndecided({ decided, denied, faults, needsConfirmation, status }: ApprovalOutcome): void {
  if (decided) return;
  if (denied !== undefined) throw new AppError("DENIED", denied);
  if (faults.length > 0) throw invalidInput("The arguments are invalid: ", faults);
  const message = needsConfirmation
    ? "confirmed: the call is destructive and its caller disconnected: send confirmed: true to run it all the same"
    : `The request for approval is ${status}: nothing was decided`;
  throw new AppError("CONFLICT", message);
}

export const APPROVAL_ROUTES = [listApprovals, getApproval, decideApproval];
