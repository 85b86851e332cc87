import { byName, type MethodRules, READS } from "../../platform/shared/method-rules";
import type { createApprovalService } from "./approval-service";

type ApprovalService = ReturnType<typeof createApprovalService>;

const target = byName("execution");

export function createApprovalRules(approvals: ApprovalService): MethodRules<ApprovalService> {
  return {
    decide: {
      permission: "run",
      target,
      async after([executionId, { argumentsText, ...decision }], { decided, status }) {
        const { toolName } = await approvals.get(executionId);
        return { tool: toolName, ...decision, argumentsEdited: argumentsText !== undefined, decided, status };
      },
    },
    decideMany: {
      permission: "run",
      target: ([ids]) => ({ kind: "execution", name: ids.join(", ") }),
      after: ([ids, { approved, reason }], { outcomes }) => ({
        approved,
        reason: reason ?? null,
        outcomes: ids.map((id, at) => ({ execution: id, status: outcomes[at]?.status ?? null })),
      }),
    },
    linkUses: { permission: "run", ...READS },
    dismissLinkUses: { permission: "run", unrecorded: "It hides notices from their reader alone" },
    withdraw: { permission: "run", target, after: (_, withdrawn) => ({ withdrawn }) },
    allowInRun: { permission: "run", target, after: (_, outcome) => outcome },
    revokeAllowance: { permission: "run", target, after: (_, outcome) => outcome },
  };
}
