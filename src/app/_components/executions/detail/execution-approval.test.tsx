// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { approvalItem } from "@/app/_components/approvals/summary/approval.test-support";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ExecutionView } from "./execution-view";

const { toolName: _tool, source: _source, actor: _actor, ...facts } = approvalItem();
const WAITING = executionDetail({
  id: "exec_waiting00",
  toolName: "delete_files",
  status: "waiting",
  resultText: null,
  approval: facts,
});

describe("the page of a call that asks a user", () => {
  it("AGT-05 asks in its place, stays to say what came of it, and withdraws on cancel", async () => {
    let execution: ExecutionDetail = WAITING;
    let item = approvalItem();
    const api = fakeApi({
      "executions.get": () => execution,
      "executions.cancel": () => ({ cancelled: true }),
      "approvals.get": () => item,
    });
    api.render(<ExecutionView id={WAITING.id} />);
    const panel = await screen.findByRole("region", { name: "Result" });
    await within(panel).findByRole("button", { name: "Approve" });
    expect(screen.getAllByText("needs approval")).toHaveLength(1);
    fireEvent.click(within(panel).getByRole("button", { name: "Cancel call" }));
    await within(panel).findByText("Cancelling…");
    expect(api.calls.find(({ path }) => path === "executions.cancel")?.input).toEqual({ id: WAITING.id });

    item = { ...item, status: "withdrawn", decidedAt: Date.now() };
    execution = {
      ...WAITING,
      status: "cancelled",
      error: "Cancelled",
      errorKind: "cancelled",
      approval: { ...facts, status: "withdrawn" },
    };
    api.emit({ type: "execution", execution: { ...execution, errorKind: "cancelled", parentId: null } });
    await within(panel).findByText(/It ended before a decision/);
    expect(within(panel).queryByRole("button", { name: "Cancelling…" })).toBeNull();
  });

  it("says who approved a call, why, and what was changed of its arguments", async () => {
    const approved = executionDetail({
      argumentsText: '{"location":"Bergen"}',
      approval: {
        ...facts,
        status: "approved",
        decidedAt: Date.now(),
        decidedBy: { id: "ada", name: "Ada" },
        decidedIn: "claude-code/2.1",
        reason: "Oslo is closed",
        requestedArgumentsText: '{"location":"Oslo"}',
      },
    });
    fakeApi({ "executions.get": () => approved }).render(<ExecutionView id={approved.id} />);
    const [section] = await screen.findAllByRole("region", { name: "Approval" });
    if (section === undefined) throw new Error("there is no section about the approval");
    expect(within(section).getByText("Ada").parentElement?.textContent).toMatch(/^Approved by Ada in claude-code /);
    expect(within(section).getByText("Oslo is closed")).toBeDefined();
    expect(await within(section).findByText("1 changed")).toBeDefined();
  });
});
