// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { serverDetail } from "@/app/_components/servers/summary/server.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ToolApproval } from "@/lib/contract/approval";
import type { ListedServerTool } from "@/lib/contract/server-tool";
import { ServerToolRow } from "./server-tool-row";
import { ServerApprovalPolicy } from "./tools-tab";

const tool = (approval: ToolApproval | null, part: Partial<ListedServerTool> = {}): ListedServerTool => ({
  position: 0,
  name: "erase",
  catalogName: "files__erase",
  title: null,
  description: "",
  status: "usable",
  reason: null,
  held: null,
  approval,
  annotations: {},
  notes: [],
  ...part,
});

describe("the approval policy on a server's page", () => {
  it("AGT-05 is changed with one choice, and the global default sends null", async () => {
    const detail = serverDetail();
    const api = fakeApi({
      "servers.setApproval": ({ policy }: { policy: "never" | null }) =>
        policy === null ? detail : { ...detail, settings: { ...detail.settings, approval: policy } },
    });
    const { container } = api.render(<ServerApprovalPolicy server={detail} />);
    const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Approval policy" });
    expect([...select.options].map(({ text }) => text)).toEqual([
      "Global default",
      "Destructive tools",
      "Always",
      "Never",
    ]);
    fireEvent.change(select, { target: { value: "never" } });
    await screen.findByText("files: approval policy saved");
    fireEvent.change(select, { target: { value: "always" } });
    fireEvent.change(select, { target: { value: "" } });
    expect(api.calls[0]?.input).toEqual({ name: "files", policy: "never" });
    expect(api.calls.at(-1)?.input).not.toHaveProperty("policy", "");
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it("AGT-05 says where it is set for a server of the configuration", () => {
    const detail = serverDetail({ editable: false, origin: "config" });
    fakeApi({}).render(
      <ServerApprovalPolicy server={{ ...detail, settings: { ...detail.settings, approval: "always" } }} />,
    );
    const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Approval policy" });
    expect([select.disabled, select.value]).toEqual([true, "always"]);
    expect(screen.getByText(/in the configuration file/)).toBeDefined();
  });
});

describe("a row of the server's tools", () => {
  it("AGT-05 says why the tool requires approval, and one click changes that", async () => {
    const api = fakeApi({
      "tools.setApproval": () => ({ approval: { required: false, because: "person", mode: "never" } }),
    });
    api.render(
      <ServerToolRow
        onRun={() => undefined}
        tool={tool({ required: true, because: "server", mode: null })}
        server="files"
      />,
    );
    expect(screen.getByText('Approval required: server policy "Always".')).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: /Never require approval/ }));
    await screen.findByText("files__erase: no approval required");
    expect(api.calls[0]?.input).toEqual({ name: "files__erase", mode: "never" });
  });

  it("AGT-05 offers the default again for a tool with its own setting, and stays quiet where the default lets it run", async () => {
    const api = fakeApi({
      "tools.setApproval": () => ({ approval: { required: true, because: "hint", mode: null } }),
    });
    const { unmount } = api.render(
      <ServerToolRow
        onRun={() => undefined}
        tool={tool({ required: false, because: "person", mode: "never" })}
        server="files"
      />,
    );
    fireEvent.click(screen.getByRole("button", { name: /Use default/ }));
    await screen.findByText("files__erase: approval required");
    expect(api.calls[0]?.input).toEqual({ name: "files__erase", mode: null });
    unmount();
    api.render(
      <ServerToolRow
        onRun={() => undefined}
        tool={tool({ required: false, because: "policy", mode: null })}
        server="files"
      />,
    );
    expect(screen.queryByText(/approval/i)).toBeNull();
  });

  it("shows a tool that the settings exclude with the reason", () => {
    const excluded = tool(null, {
      catalogName: null,
      status: "excluded",
      reason: "Excluded by the server's settings",
    });
    fakeApi({}).render(<ServerToolRow onRun={() => undefined} tool={excluded} server="files" />);
    expect(screen.getByText("excluded")).toBeDefined();
    expect(screen.getByText("Excluded by the server's settings")).toBeDefined();
    expect(screen.queryByRole("link")).toBeNull();
  });
});
