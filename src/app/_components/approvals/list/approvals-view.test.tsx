// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { approvalItem } from "@/app/_components/approvals/summary/approval.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ApprovalItem } from "@/lib/contract/approval";
import { ApprovalsView } from "./approvals-view";

const FIRST = approvalItem({ executionId: "exec_first0000", toolName: "delete_files" });
const SECOND = approvalItem({
  executionId: "exec_second000",
  toolName: "send_mail",
  source: "gateway",
  client: "Claude Code",
});

/** An inbox that moves what is decided from one list to the other. */
function inboxWith(items: ApprovalItem[], search = ""): FakeApi {
  const all = new Map(items.map((item) => [item.executionId, item]));
  const of = (open: boolean) => [...all.values()].filter(({ status }) => (status === "open") === open);
  return fakeApi(
    {
      "approvals.list": ({ status }: { status: string }) => ({ items: of(status === "open"), nextCursor: null }),
      "approvals.count": () => ({ open: of(true).length }),
      "approvals.get": ({ executionId }: { executionId: string }) => {
        const item = all.get(executionId);
        if (!item) throw new Error("no such approval");
        return item;
      },
      "approvals.decide": ({ executionId }: { executionId: string }) => {
        const item = all.get(executionId);
        if (item) all.set(executionId, { ...item, status: "approved", decidedAt: Date.now(), decidedBy: item.actor });
        return { decided: true, status: "approved", faults: [] };
      },
      // A server for which the second call is left open.
      "approvals.decideMany": ({ executionIds }: { executionIds: string[] }) => {
        const [one = ""] = executionIds;
        const item = all.get(one);
        if (item) all.set(one, { ...item, status: "rejected", decidedAt: Date.now(), decidedBy: item.actor });
        const left = { decided: false, status: "open", faults: [], needsConfirmation: true };
        return { outcomes: executionIds.map((_, at) => (at === 0 ? { decided: true, status: "rejected" } : left)) };
      },
      "tools.list": () => ({ items: [], nextCursor: null, matching: 0 }),
    },
    search,
  );
}

describe("the inbox of approvals", () => {
  it("AGT-05 lists calls from everywhere, shows the one that waits longest, counts them, and axe finds nothing", async () => {
    inboxWith([FIRST, SECOND]).render(<ApprovalsView />);
    const list = await screen.findByRole("region", { name: "Pending approvals" });
    expect(
      within(list)
        .getAllByRole("button")
        .map((row) => /^(delete_files|send_mail)/.exec(row.textContent ?? "")?.[0]),
    ).toEqual(["delete_files", "send_mail"]);
    expect(list.textContent).toContain("Local owner from gateway · Claude Code");
    await screen.findByRole("article", { name: "Approval of delete_files" });
    expect(await screen.findByText("2 need approval")).toBeDefined();
    expect(document.title).toBe("Approvals (2) · Toolroom");
    expect(await findViolations()).toEqual([]);
  });

  it("keeps the decided call in sight instead of putting the next one under the pointer, and leads on", async () => {
    const api = inboxWith([FIRST, SECOND]);
    api.render(<ApprovalsView />);
    await screen.findByRole("button", { name: "Approve" });
    fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    await screen.findByText(/^Approved by/);
    expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
    await screen.findByRole("button", { name: "Next: send_mail" });
    fireEvent.keyDown(document.body, { key: "n" });
    await screen.findByRole("article", { name: "Approval of send_mail" });
    expect(api.searches.at(-1)).toBe("?id=exec_second000");
  });

  it("AGT-05 one decision is for all selected calls, with one reason, and says what it left open", async () => {
    const api = inboxWith([FIRST, SECOND]);
    api.render(<ApprovalsView />);
    fireEvent.click(await screen.findByRole("checkbox", { name: "Select all" }));
    fireEvent.click(await screen.findByRole("button", { name: "Reject 2…" }));
    fireEvent.change(screen.getByRole("textbox", { name: /^Reason for all/ }), { target: { value: " Not now " } });
    fireEvent.click(screen.getByRole("button", { name: "Reject 2" }));
    await screen.findByText("1 call rejected. 1 call left open: caller disconnected. Open it to confirm.");
    expect(api.calls.find(({ path }) => path === "approvals.decideMany")?.input).toEqual({
      executionIds: ["exec_first0000", "exec_second000"],
      decision: { approved: false, reason: "Not now" },
    });
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Select send_mail exec_second000" }).checked).toBe(
      true,
    );
    expect(screen.queryByRole("checkbox", { name: "Select delete_files exec_first0000" })).toBeNull();
  });

  it("shows the call that the address names", async () => {
    inboxWith([FIRST, SECOND], "?id=exec_second000").render(<ApprovalsView />);
    await screen.findByRole("article", { name: "Approval of send_mail" });
    const row = within(screen.getByRole("region", { name: "Pending approvals" })).getByRole("button", {
      name: /send_mail/,
    });
    expect(row.getAttribute("aria-current")).toBe("true");
  });

  it("says what was decided by whom, in the tab of its own", async () => {
    const decided = approvalItem({
      status: "rejected",
      decidedAt: Date.now(),
      decidedBy: { id: "ada", name: "Ada" },
      reason: "No",
    });
    inboxWith([decided], "?tab=decided").render(<ApprovalsView />);
    const list = await screen.findByRole("region", { name: "Decided calls" });
    expect(list.textContent).toContain("by Ada: No");
    fireEvent.click(screen.getByRole("tab", { name: /Open/ }));
    await screen.findByRole("heading", { name: "No pending approvals" });
    await waitFor(() => expect(screen.getByText(/No tool requires approval/)).toBeDefined());
    expect(screen.getByRole("link", { name: "Tools requiring approval" }).getAttribute("href")).toBe(
      "/tools?approval=asks",
    );
  });
});
