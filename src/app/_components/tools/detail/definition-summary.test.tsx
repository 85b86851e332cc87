// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { DefinitionSummary } from "./definition-summary";

const summary = (description: string) => ({
  name: "t",
  title: null,
  description,
  implementationType: "mock",
  handler: null,
  server: null,
  origin: "console" as const,
  originPath: null,
  enabled: true,
  tags: [],
  annotations: {},
  quality: [],
  parameterCount: 0,
  requiredCount: 0,
  updatedAt: null,
  definitionHash: "0123456789",
  timeoutMs: 1000,
  schemaNotes: [],
  editable: true,
  approval: { required: false, because: "policy", mode: null },
  definition: { parameters: { type: "object" }, implementation: { type: "mock", mock_response: 1 } },
});

describe("the description of a tool", () => {
  it("is rendered where it is Markdown, without markup of its own", async () => {
    const text = "Finds **customers**:\n\n- by name\n- by id\n\n<img src=x onerror=alert(1)>";
    const { container } = fakeApi({}).render(<DefinitionSummary tool={summary(text) as never} />);
    expect((await screen.findByText("customers")).tagName).toBe("STRONG");
    expect((await screen.findAllByRole("listitem")).map((item) => item.textContent?.trim())).toEqual([
      "by name",
      "by id",
    ]);
    expect(container.querySelector("img")).toBeNull();
  });

  it("is shown as it is where it is plain text", () => {
    fakeApi({}).render(<DefinitionSummary tool={summary("Adds 2 * 3\nand 4") as never} />);
    expect(screen.getByText(/Adds 2 \* 3/).textContent).toBe("Adds 2 * 3\nand 4");
  });
});
