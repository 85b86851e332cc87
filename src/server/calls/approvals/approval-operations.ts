import { z } from "zod";
import {
  approvalDecisionSchema,
  approvalItemSchema,
  approvalLinkUseSchema,
  approvalOutcomeSchema,
  approvalPageSchema,
  runAllowanceSchema,
} from "../../../lib/contract/approval";
import { rowNumber } from "../../../lib/contract/row-number";
import { act, type OperationContext, operations, read, requireSent } from "../../platform/api/operation";
import { describePage, executionIdSchema, pageQuery, toPage } from "../../platform/api/route-inputs";
import { describeDecision, rejectUndecided } from "./decisions";

const executionId = z.string().max(100);
const byExecution = z.object({ executionId });
const ofExecution = (input: z.output<typeof byExecution>) => ({ kind: "execution", name: input.executionId });
const status = z.enum(["open", "decided"]);
const sentPage = pageQuery.extend({ status: status.default("open") });
const MAX_BULK = 200;

const sentDecision = z.strictObject({
  approved: z.boolean(),
  reason: z.string().trim().max(2000).optional().describe("Sent to the caller and to the model"),
  arguments: z.record(z.string(), z.unknown()).optional().describe("Run with these; only with `approved`"),
  scope: z.literal("run").optional().describe("Later calls of this tool in the same run need no approval"),
  confirmed: z.boolean().optional().describe("Runs a destructive call whose caller disconnected"),
});

/** The inbox of calls that wait for approval. The service gets the rights too, since rules say who approves. */
export const approvalOperations = operations("approvals", {
  list: read({
    rest: "GET /approvals",
    summary: "List requests for approval, newest first",
    allow: "read",
    input: z.object({
      status,
      cursor: rowNumber.nullish(),
      limit: z.number().int().min(1).max(200).default(50),
    }),
    sentAs: { query: sentPage, toInput: (_context, sent: z.output<typeof sentPage>) => sent },
    output: approvalPageSchema,
    answeredAs: { output: describePage(approvalItemSchema), toAnswer: toPage },
    run: ({ services }, input) => services.approvals.list(input.status, input.cursor ?? undefined, input.limit),
  }),
  count: read({
    rest: "GET /approvals/count",
    summary: "Count the open requests for approval",
    allow: "read",
    output: z.object({ open: z.number().int() }),
    run: ({ services }) => services.approvals.count(),
  }),
  linkUses: read({
    rest: "GET /approvals/link-uses",
    summary: "List the newest decisions that approval links made in your name, without those that you have dismissed",
    allow: "run",
    output: z.array(approvalLinkUseSchema),
    run: ({ services, actor }) => services.approvals.linkUses(actor),
  }),
  dismissLinkUses: act({
    rest: "DELETE /approvals/link-uses",
    summary: "Dismiss the list of decisions that approval links made in your name",
    allow: "run",
    audit: { unrecorded: "It hides notices from their reader alone" },
    run: ({ services, actor }) => services.approvals.dismissLinkUses(actor),
  }),
  get: read({
    rest: "GET /approvals/{executionId}",
    summary: "Get the request for approval of an execution",
    allow: "read",
    input: byExecution,
    output: approvalItemSchema,
    run: ({ services }, input) => services.approvals.get(input.executionId),
  }),
  decide: act({
    rest: "POST /approvals/{executionId}/decide",
    summary: "Approve or reject a call",
    allow: "run",
    input: z.object({ executionId, decision: approvalDecisionSchema }),
    sentAs: {
      body: sentDecision,
      toInput(context: OperationContext, sent: z.output<typeof sentDecision>) {
        const { arguments: edited, approved, reason, scope, confirmed } = sent;
        const argumentsText = edited === undefined ? undefined : requireSent(context).readArguments().text;
        return { decision: { approved, reason, scope, confirmed, argumentsText } };
      },
    },
    output: approvalOutcomeSchema,
    answeredAs: {
      output: approvalItemSchema,
      toAnswer(outcome, input, { approvals }) {
        rejectUndecided(outcome);
        return approvals.get(input.executionId);
      },
    },
    audit: {
      target: ofExecution,
      after: async (outcome, input, { approvals }) => {
        const { toolName } = await approvals.get(input.executionId);
        return describeDecision(toolName, input.decision, outcome);
      },
    },
    run: ({ services, principal }, input) => services.approvals.decide(principal, input.executionId, input.decision),
  }),
  decideMany: act({
    rest: "POST /approvals/decide",
    summary: "Approve or reject several calls. Those that need more than that stay open",
    allow: "run",
    input: z.strictObject({
      executionIds: z.array(executionIdSchema).min(1).max(MAX_BULK),
      decision: approvalDecisionSchema.pick({ approved: true, reason: true }),
    }),
    output: z.object({ outcomes: z.array(approvalOutcomeSchema).describe("In the order of the ids") }),
    audit: {
      target: ({ executionIds }) => ({ kind: "execution", name: executionIds.join(", ") }),
      after: ({ outcomes }, { executionIds, decision: { approved, reason } }) => ({
        approved,
        reason: reason ?? null,
        outcomes: executionIds.map((id, at) => ({ execution: id, status: outcomes[at]?.status ?? null })),
      }),
    },
    run: ({ services, principal }, { executionIds, decision }) =>
      services.approvals.decideMany(principal, executionIds, decision),
  }),
  allowances: read({
    rest: "GET /runs/{runId}/allowances",
    summary: "List the tools that are always allowed in a run",
    allow: "read",
    input: z.object({ runId: z.string().max(100) }),
    output: z.object({ items: z.array(runAllowanceSchema) }),
    run: ({ services }, input) => services.approvals.allowances(input.runId),
  }),
  allowInRun: act({
    rest: "PUT /approvals/{executionId}/allowance",
    summary: "Approve later calls of the tool in the run of a call that you approved",
    allow: "run",
    input: byExecution,
    output: z.object({ allowed: z.boolean().describe("False where they are allowed already") }),
    audit: { target: ofExecution, after: (outcome) => outcome },
    run: ({ services, actor }, input) => services.approvals.allowInRun(actor, input.executionId),
  }),
  revokeAllowance: act({
    rest: "DELETE /approvals/{executionId}/allowance",
    summary: "Ask for approval of later calls of the tool in the run again",
    allow: "run",
    input: byExecution,
    output: z.object({ revoked: z.boolean().describe("False where it was revoked before") }),
    audit: { target: ofExecution, after: (outcome) => outcome },
    run: ({ services, actor }, input) => services.approvals.revokeAllowance(actor, input.executionId),
  }),
});
