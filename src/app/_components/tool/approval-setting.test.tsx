// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/execution.test-support";
import { fakeApi } from "@/app/_components/executions/fake-api.test-support";
import type { ToolDetail } from "@/lib/contract";
import type { ToolApproval } from "@/lib/contract/approval";
import { ApprovalSetting, followLabel } from "./approval-setting";

afterEach(cleanup);

function tool(approval: ToolApproval, key?: "always" | "never"): ToolDetail {
  const { definition } = executionDetail();
  if (definition === null) throw new Error("the test's execution has a definition");
  return {
    name: "get_weather",
    title: null,
    description: "",
    implementationType: "mock",
    handler: null,
    server: null,
    origin: "config",
    originPath: null,
    enabled: true,
    tags: [],
    annotations: {},
    parameterCount: 1,
    requiredCount: 1,
    quality: [],
    updatedAt: null,
    approval,
    definition: key === undefined ? definition : { ...definition, approval: key },
    definitionHash: "9f2c41aa",
    timeoutMs: 1_000,
    editable: false,
  };
}

const HINT: ToolApproval = { required: true, because: "hint", mode: null };

describe("the approval of a tool", () => {
  it("AGT-05 says what holds and why, and saves another choice", async () => {
    const api = fakeApi({
      "tools.setApproval": () => ({ ...tool(HINT), approval: { required: false, because: "person", mode: "never" } }),
    });
    api.render(<ApprovalSetting tool={tool(HINT)} />);
    const select = screen.getByRole("combobox", { name: "Approval" });
    expect(screen.getByText(/It may destroy something, by its own hint/)).toBeDefined();
    fireEvent.change(select, { target: { value: "never" } });
    await screen.findByText("get_weather does not ask before it runs");
    expect(api.calls.find(({ path }) => path === "tools.setApproval")?.input).toEqual({
      name: "get_weather",
      mode: "never",
    });
  });

  it("goes back to the tool's own word with null, and says in its place when that was refused", async () => {
    const api = fakeApi({});
    api.render(<ApprovalSetting tool={tool({ required: true, because: "person", mode: "always" })} />);
    fireEvent.change(screen.getByRole("combobox", { name: "Approval" }), { target: { value: "follow" } });
    await screen.findByText(/The choice was not saved/);
    expect(api.calls[0]?.input).toEqual({ name: "get_weather", mode: null });
  });

  it("names what is followed, and its effect only where it is known", () => {
    expect(followLabel(tool(HINT))).toBe("Follows its hint (asks)");
    expect(followLabel(tool({ required: false, because: "definition", mode: null }, "never"))).toBe(
      "Follows its definition (does not ask)",
    );
    expect(followLabel(tool({ required: true, because: "person", mode: "always" }, "never"))).toBe(
      "Follows its definition",
    );
    expect(followLabel(tool({ required: false, because: "policy", mode: null }))).toBe(
      "Follows its hint and the policy (does not ask)",
    );
  });
});
