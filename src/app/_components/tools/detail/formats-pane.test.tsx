// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { toolDetail } from "@/app/_components/tools/summary/tool.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { TOOL_FORMATS } from "@/lib/contract/tool-definition";
import { FormatsPane } from "./formats-pane";

describe("provider formats", () => {
  it("FMT-01 shows the definition, and what each provider and MCP is sent of it: the tool alone or the whole message, and keeps the choice in the address", async () => {
    const api = fakeApi({
      "tools.providerFormats": () =>
        TOOL_FORMATS.map((format) => ({
          format,
          text: `"tool ${format}"`,
          bodyText: `"body ${format}"`,
          notes: ["`x` is left out"],
        })),
    });
    const { definition } = toolDetail();
    api.render(<FormatsPane toolName="echo" definition={definition} />);
    expect(screen.getByRole("group", { name: "Definition as JSON" }).textContent).toContain(definition.description);
    fireEvent.click(screen.getByRole("radio", { name: "OpenAI" }));
    expect((await screen.findByRole("group", { name: "Definition for OpenAI" })).textContent).toContain("tool openai");
    fireEvent.click(screen.getByRole("radio", { name: "Request body" }));
    expect((await screen.findByRole("group", { name: "Request body for OpenAI" })).textContent).toContain(
      "body openai",
    );
    fireEvent.click(screen.getByRole("radio", { name: "MCP" }));
    const response = await screen.findByRole("group", { name: "tools/list response for MCP" });
    expect(response.textContent).toContain("body mcp");
    expect(screen.getByRole("listitem").textContent).toBe("x is left out");
    await waitFor(() => expect(api.searches.at(-1)).toMatch(/^(?=.*part=body)(?=.*provider=mcp)/));
  });
});
