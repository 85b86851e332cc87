// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { approvalItem } from "@/app/_components/approvals/summary/approval.test-support";
import { formatTimeLeft } from "@/app/_components/approvals/summary/approval-words";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import type { ApprovalDecision, ApprovalItem, ApprovalOutcome } from "@/lib/contract/approval";
import type { Fault } from "@/lib/contract/envelope";
import { describeEffect } from "@/lib/format/call-effect";
import { ApprovalCard } from "./approval-card";

interface Server {
  item: ApprovalItem;
  api: FakeApi;
  decisions: ApprovalDecision[];
}

/** A server that decides as the real one does: the first decision counts, arguments are checked before they run. */
function serverWith(first: ApprovalItem, findFaults: (text: string) => Fault[] = () => []): Server {
  const server: Server = { item: first, decisions: [], api: {} as FakeApi };
  const decide = ({ decision }: { decision: ApprovalDecision }): ApprovalOutcome => {
    server.decisions.push(decision);
    if (server.item.status !== "open") return { decided: false, status: server.item.status, faults: [] };
    if (server.item.detached && server.item.runId === null && decision.confirmed !== true) {
      return { decided: false, status: "open", faults: [], needsConfirmation: true };
    }
    const text = decision.argumentsText;
    const faults = text === undefined ? [] : findFaults(text);
    if (faults.length > 0) return { decided: false, status: "open", faults };
    server.item = {
      ...server.item,
      status: decision.approved ? "approved" : "rejected",
      decidedAt: Date.now(),
      decidedBy: { id: "local-owner", name: "Local owner" },
      reason: decision.reason ?? null,
      ...(text === undefined ? {} : { requestedArgumentsText: server.item.argumentsText, argumentsText: text }),
    };
    return { decided: true, status: server.item.status, faults: [] };
  };
  server.api = fakeApi({
    "approvals.get": () => server.item,
    "approvals.decide": decide,
    "approvals.allowInRun": () => ({ allowed: true }),
    "tools.setApproval": () => ({ approval: server.item.approval }),
    "tools.validateArguments": ({ arguments: text }: { arguments: string }) => {
      const faults = findFaults(text);
      return { valid: faults.length === 0, faults };
    },
  });
  return server;
}

const card = () => screen.findByRole("article", { name: "Approval of delete_files" });

describe("the card of an approval", () => {
  it("AGT-05 shows what would run, for whom and how long it waits, and axe finds nothing", async () => {
    const { api, item } = serverWith(approvalItem());
    api.render(<ApprovalCard executionId={item.executionId} />);
    const shown = await card();
    expect(shown.dataset.status).toBe("open");
    expect(within(shown).getByText("Deletes files: path = /tmp/old, recursive = true")).toBeDefined();
    for (const text of ["Delete files", "destructive", '"/tmp/old"', "Local owner", "agent", /expires in 30 min/]) {
      expect(within(shown).getAllByText(text).length).toBeGreaterThan(0);
    }
    expect(within(shown).getByRole("link", { name: "Run" }).getAttribute("href")).toBe("/runs/run_aaaaaaaa1");
    expect(await findViolations()).toEqual([]);
  });

  it("AGT-05 says who has to approve, lets those who may not only reject, and disables the edit of what another user has to approve", async () => {
    const approval = { required: true, because: "person" as const, mode: "other_admin" as const };
    const edda = { id: "edda", name: "Edda" };
    const { api, item } = serverWith(approvalItem({ approval, mode: "other_admin", actor: edda }));
    const shownTo = async (id: string, role: "operator" | "admin") => {
      const view = api.render(
        <AccessProvider principal={{ id, name: id, role, token: null }}>
          <ApprovalCard executionId={item.executionId} />
        </AccessProvider>,
      );
      const shown = within(await card());
      const disabled = ["Approve", "Edit arguments", "Reject…"].map(
        (name) => (shown.getByRole("button", { name }) as HTMLButtonElement).disabled,
      );
      const text = document.body.textContent ?? "";
      expect(shown.queryByRole("button", { name: "Always allow in this run" })).toBeNull();
      view.unmount();
      return { disabled, text };
    };
    const opal = await shownTo("opal", "operator");
    expect(opal.disabled).toEqual([true, true, false]);
    expect(opal.text).toContain("needs the approval of an admin other than Edda");
    expect((await shownTo("edda", "admin")).text).toContain("an admin other than you");
    const ada = await shownTo("ada", "admin");
    expect(ada.disabled, "an edit would make Ada the author of what Ada approves").toEqual([false, true, false]);
    expect(ada.text).toContain("approve them as they are, or reject the call and give the change as the reason");
  });

  it("AGT-05 asks after the decision whether the tool's next calls require approval, and changes that on the card", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    await screen.findByText("Requires approval: marked destructive");
    expect(screen.queryByRole("combobox", { name: "Approval setting of delete_files" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Approve" }));
    await screen.findByText("Approval required: marked destructive.");
    server.item = { ...server.item, approval: { required: false, because: "person", mode: "never" } };
    fireEvent.change(screen.getByRole("combobox", { name: "Approval setting of delete_files" }), {
      target: { value: "never" },
    });
    await screen.findByText("No approval required: set on this tool.");
    expect(server.api.calls.find(({ path }) => path === "tools.setApproval")?.input).toEqual({
      name: "delete_files",
      mode: "never",
    });
  });

  it("approves once however often the button is pressed, and keeps the keyboard in the card", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    const approve = await screen.findByRole("button", { name: "Approve" });
    approve.focus();
    fireEvent.click(approve);
    fireEvent.click(approve);
    await screen.findByText(/^Approved by/);
    expect(server.decisions).toEqual([{ approved: true }]);
    const shown = await card();
    expect(shown.dataset.status).toBe("approved");
    expect(document.activeElement).toBe(shown);
    expect(within(shown).queryByRole("button", { name: "Approve" })).toBeNull();
  });

  it("rejects with the reason that was written, and without one where none was", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    fireEvent.click(await screen.findByRole("button", { name: "Reject…" }));
    fireEvent.change(screen.getByRole("textbox", { name: /Reason/ }), { target: { value: "  Wrong folder " } });
    fireEvent.click(screen.getByRole("button", { name: "Reject" }));
    await screen.findByText("Wrong folder");
    expect(server.decisions).toEqual([{ approved: false, reason: "Wrong folder" }]);
    expect((await card()).dataset.status).toBe("rejected");
  });

  it("runs changed arguments only when they fit, says beside the field what does not, and shows the difference", async () => {
    const tooWide: Fault = { pointer: "/path", path: "path", keyword: "pattern", message: "must begin with /tmp" };
    const server = serverWith(approvalItem(), (text) => (text.includes("/tmp") ? [] : [tooWide]));
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    fireEvent.click(await screen.findByRole("button", { name: "Edit arguments" }));
    const approve = await screen.findByRole("button", { name: /^Approve with changes/ });
    expect(approve.getAttribute("aria-disabled")).toBe("true");
    const path = screen.getByRole("textbox", { name: /path/ });
    fireEvent.change(path, { target: { value: "/" } });
    await waitFor(() => expect(screen.getAllByText(/must begin with \/tmp/).length).toBeGreaterThan(0));
    fireEvent.click(approve);
    expect(server.decisions).toEqual([]);
    fireEvent.change(path, { target: { value: "/tmp/older" } });
    await waitFor(() => expect(approve.getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(approve);
    await screen.findByText(/with changed arguments/);
    expect(server.decisions).toEqual([
      { approved: true, argumentsText: '{ "path": "/tmp/older", "recursive": true }' },
    ]);
    expect(await screen.findByText("1 changed")).toBeDefined();
  });

  it("keeps an edit that was left, and Ctrl+Enter approves it from any of its fields", async () => {
    const server = serverWith(approvalItem(), () => []);
    const { unmount } = server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    fireEvent.click(await screen.findByRole("button", { name: "Edit arguments" }));
    fireEvent.change(await screen.findByRole("textbox", { name: /path/ }), { target: { value: "/tmp/left" } });
    unmount();
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    const path = await screen.findByRole<HTMLInputElement>("textbox", { name: /path/ });
    await waitFor(() => expect(path.value).toBe("/tmp/left"));
    const approve = screen.getByRole("button", { name: /^Approve with changes/ });
    await waitFor(() => expect(approve.getAttribute("aria-disabled")).toBe("false"));
    fireEvent.keyDown(path, { key: "Enter", ctrlKey: true });
    await screen.findByText(/with changed arguments/);
    expect(server.decisions).toEqual([{ approved: true, argumentsText: '{ "path": "/tmp/left", "recursive": true }' }]);
  });

  it("AGT-05 runs a destructive call whose caller is gone only after a second confirmation", async () => {
    const server = serverWith(approvalItem({ detached: true, runId: null }));
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    fireEvent.click(await screen.findByRole("button", { name: "Approve" }));
    await screen.findByText("Run anyway? Nobody receives the result");
    expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    fireEvent.click(await screen.findByRole("button", { name: "Approve" }));
    fireEvent.click(await screen.findByRole("button", { name: "Run anyway" }));
    await screen.findByText(/^Approved by/);
    expect(server.decisions.at(-1)).toEqual({ approved: true, confirmed: true });
  });

  it("offers no edit and no page of a tool for a read of a resource", async () => {
    const read = approvalItem({
      toolName: "files resources/read",
      argumentsText: '{"uri":"file:///notes.txt"}',
      approval: null,
      runId: null,
      detached: true,
    });
    const { api, item } = serverWith(read);
    api.render(<ApprovalCard executionId={item.executionId} />);
    const shown = await screen.findByRole("article", { name: "Approval of files resources/read" });
    expect(within(shown).getByRole("button", { name: "Approve" })).toBeDefined();
    expect(within(shown).queryByRole("button", { name: "Edit arguments" })).toBeNull();
    expect(within(shown).queryByRole("link", { name: "files resources/read" })).toBeNull();
    expect(within(shown).getByText("Once approved, it runs and its execution keeps the result.")).toBeDefined();
  });

  it("AGT-05 offers to allow later calls of the tool in the run once the call is approved", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    fireEvent.click(await screen.findByRole("button", { name: "Approve" }));
    fireEvent.click(await screen.findByRole("button", { name: "Always allow in this run" }));
    await screen.findByText(/in this run need no approval/);
    expect(server.decisions).toEqual([{ approved: true }]);
    expect(server.api.calls.find(({ path }) => path === "approvals.allowInRun")?.input).toEqual({
      executionId: "exec_waiting00",
    });
  });

  it("AGT-05 is decided with keys where the page is about it, and not by a key that is held or typed", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" keys />);
    await screen.findByRole("button", { name: "Approve" });
    fireEvent.keyDown(document.body, { key: "Enter" });
    fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true, repeat: true });
    fireEvent.keyDown(document.body, { key: "r" });
    fireEvent.keyDown(screen.getByRole("textbox", { name: /Reason/ }), { key: "Escape" });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /^Reject…/ })));
    fireEvent.keyDown(document.body, { key: "r" });
    const reason = screen.getByRole("textbox", { name: /Reason/ });
    fireEvent.keyDown(reason, { key: "r" });
    expect(server.decisions).toEqual([]);
    fireEvent.change(reason, { target: { value: "No" } });
    fireEvent.click(screen.getByRole("button", { name: "Reject" }));
    await screen.findByText(/^Rejected by/);
    expect(server.decisions).toEqual([{ approved: false, reason: "No" }]);
  });

  it("shows who decided first when another tab was faster, and not as an error", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    const approve = await screen.findByRole("button", { name: "Approve" });
    server.item = { ...server.item, status: "rejected", decidedAt: Date.now(), decidedBy: { id: "ada", name: "Ada" } };
    fireEvent.click(approve);
    await screen.findByText(/Ada decided this call before you did/);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows a decision made elsewhere", async () => {
    const server = serverWith(approvalItem());
    server.api.render(<ApprovalCard executionId="exec_waiting00" />);
    await screen.findByRole("button", { name: "Approve" });
    server.item = { ...server.item, status: "withdrawn", decidedAt: Date.now() };
    server.api.emit({ type: "approvals" });
    await screen.findByText("It ended before a decision.");
    expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
  });
});

describe("formatTimeLeft", () => {
  it("counts minutes while there are some, then seconds, and nothing below zero", () => {
    const at = (ms: number) => formatTimeLeft(1_000_000 + ms, 1_000_000);
    expect([at(-1), at(0), at(400), at(59_000), at(60_000), at(179_000)]).toEqual([
      null,
      null,
      "1 s",
      "59 s",
      "1 min",
      "2 min",
    ]);
    expect([at(3_600_000), at(5_400_000), at(72 * 3_600_000)]).toEqual(["1 h", "1 h 30 min", "3 d"]);
  });
});

describe("where an approval is asked", () => {
  it("AGT-05 names the client that asks too, while it asks", async () => {
    const item = approvalItem({ askedIn: "claude-code/2.1" });
    const { api } = serverWith(item);
    api.render(<ApprovalCard executionId={item.executionId} />);
    expect((await screen.findByText(/^Asked in/)).textContent).toBe("Asked in claude-code and here");
  });
});

describe("describeEffect", () => {
  it("AGT-05 names the call's values as they were sent, digit for digit, long and further ones cut", () => {
    const say = (argumentsText: string) => describeEffect({ toolName: "pay", definition: null, argumentsText });
    const gone = "Run pay, which is no longer in the catalog";
    expect(say('{"account": 12345678901234567890, "amount": 1.10, "note": "a \\"b\\"", "to": ["x", {}]}')).toBe(
      `${gone}: account = 12345678901234567890, amount = 1.10, note = a "b", to = ["x", {}]`,
    );
    expect(say(`{"text":"${"x".repeat(61)}"}`)).toBe(`${gone}: text = ${"x".repeat(60)}…`);
    expect(say('{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}')).toMatch(/f = 6, 2 more$/);
    for (const without of ["{}", "[1]", '{"cut": "of', ""]) expect(say(without)).toBe(gone);
  });
});
