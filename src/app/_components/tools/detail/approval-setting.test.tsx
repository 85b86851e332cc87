// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { defaultLabel } from "@/app/_components/approvals/summary/approval-select";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ToolApproval } from "@/lib/contract/approval";
import { ApprovalSetting } from "./definition-summary";

const tool = (approval: ToolApproval, server: string | null = null) => ({ name: "get_weather", server, approval });

const HINT: ToolApproval = { required: true, because: "hint", mode: null };

describe("the approval of a tool", () => {
  it("AGT-05 says what holds and why, and saves another choice", async () => {
    const api = fakeApi({
      "tools.setApproval": () => ({ ...tool(HINT), approval: { required: false, because: "person", mode: "never" } }),
    });
    api.render(<ApprovalSetting tool={tool(HINT)} />);
    const select = screen.getByRole("combobox", { name: "Approval" });
    expect(screen.getByText("Reason: marked destructive.")).toBeDefined();
    fireEvent.change(select, { target: { value: "never" } });
    await screen.findByText("get_weather: no approval required");
    expect(api.calls.find(({ path }) => path === "tools.setApproval")?.input).toEqual({
      name: "get_weather",
      mode: "never",
    });
  });

  it("removes the tool's own setting with null, and shows a refusal beside it", async () => {
    const api = fakeApi({});
    api.render(<ApprovalSetting tool={tool({ required: true, because: "person", mode: "always" })} />);
    fireEvent.change(screen.getByRole("combobox", { name: "Approval" }), { target: { value: "default" } });
    await screen.findByText(/Couldn't save the approval setting/);
    expect(api.calls[0]?.input).toEqual({ name: "get_weather", mode: null });
  });

  it("AGT-05 names the setting that decides, and links to the server's policy", () => {
    const api = fakeApi({});
    const reasons: [ToolApproval, string][] = [
      [{ required: true, because: "hint", mode: null }, "Reason: marked destructive by the server."],
      [{ required: true, because: "server", mode: null }, 'Reason: server policy "Always".'],
      [{ required: false, because: "server", mode: null }, "Reason: server policy."],
      [{ required: true, because: "policy", mode: null }, 'Reason: global policy "Always".'],
      [{ required: true, because: "person", mode: "always" }, "Reason: set on this tool."],
      [{ required: true, because: "definition", mode: null }, "Reason: set in the tool's definition."],
    ];
    for (const [approval, text] of reasons) {
      const { unmount } = api.render(<ApprovalSetting tool={tool(approval, "files")} />);
      expect(screen.getByText(text, { exact: false })).toBeDefined();
      expect(screen.getByRole("link", { name: "Server policy" }).getAttribute("href")).toBe("/servers/files");
      unmount();
    }
  });

  it("names the effect of the default only while the tool has no setting of its own", () => {
    expect(defaultLabel(HINT)).toBe("Default (approval required)");
    expect(defaultLabel({ required: false, because: "policy", mode: null })).toBe("Default (no approval)");
    expect(defaultLabel({ required: true, because: "person", mode: "always" })).toBe("Default");
  });
});
