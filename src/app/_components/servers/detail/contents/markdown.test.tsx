// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ContentText } from "@/app/_components/content/content-text";
import { ResultValue } from "@/app/_components/executions/result/result-value";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { PartView } from "./contents-view";

const MARKDOWN = "# Report\n\n- **two** items\n- <img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1))";

describe("markdown in results and resources", () => {
  it("is shown as it came until it is asked for, then rendered without images, scripts or other links", async () => {
    const { container } = render(<ContentText text={MARKDOWN} label="Block 1" />);
    expect(screen.getByRole("radio", { name: "Text" })).toHaveProperty("checked", true);
    fireEvent.click(screen.getByRole("radio", { name: "Markdown" }));
    expect((await screen.findAllByRole("listitem"))[0]?.textContent).toBe("two items");
    expect(container.querySelector("img, script, a")).toBeNull();
    fireEvent.click(screen.getByRole("radio", { name: "Text" }));
    expect(container.textContent).toContain("# Report");
  });

  it("is offered for a result that is one text", async () => {
    render(<ResultValue execution={executionDetail({ resultText: JSON.stringify(MARKDOWN) })} />);
    fireEvent.click(screen.getByRole("radio", { name: "Markdown" }));
    await screen.findAllByRole("listitem");
  });

  it("is rendered at once where the resource says so, and not offered for other text", async () => {
    const part = { text: MARKDOWN, blob: null, mimeType: "text/markdown", uri: null };
    const { rerender } = render(<PartView part={part} />);
    await screen.findAllByRole("listitem");
    rerender(<PartView key="plain" part={{ ...part, text: "two words", mimeType: "text/plain" }} />);
    expect(screen.queryByRole("radio", { name: "Markdown" })).toBeNull();
  });
});
