import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal, type Role } from "../../../lib/contract/access";
import type { ApprovalItem, ApprovalOutcome } from "../../../lib/contract/approval";
import { auditDecisions } from "./decisions";

function open(role: Role) {
  const by: Principal = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", role };
  const entries: object[] = [];
  const decided: string[] = [];
  const approvals = {
    get: async () => ({ toolName: "wipe" }) as ApprovalItem,
    async decide(_by: Principal, executionId: string): Promise<ApprovalOutcome> {
      decided.push(executionId);
      return { decided: true, status: "approved", faults: [] };
    },
  };
  const acting = {
    audit: { record: async (entry: object) => void entries.push(entry) },
    answered: <T>(work: () => Promise<T>) => work(),
  };
  const decide = () => auditDecisions(approvals, acting).decide(by, "exec_1", { approved: true, argumentsText: "{}" });
  return { decide, decided, entries };
}

describe("a decision by a link", () => {
  it("leaves the entry of a decision in the console, without the arguments", async () => {
    const { decide, entries } = open("operator");
    expect(await decide()).toMatchObject({ decided: true });
    expect(entries).toMatchObject([
      {
        action: "approvals.decide",
        outcome: "done",
        target: { kind: "execution", name: "exec_1" },
        after: { tool: "wipe", approved: true, argumentsEdited: true, decided: true, status: "approved" },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain("argumentsText");
  });

  it("is denied to a user who may not run tools any more, with an entry and before anything is decided", async () => {
    const { decide, decided, entries } = open("viewer");
    await expect(decide()).rejects.toMatchObject({ code: "DENIED" });
    expect(decided).toEqual([]);
    expect(entries).toMatchObject([{ action: "approvals.decide", outcome: "denied" }]);
  });
});
