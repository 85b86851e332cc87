// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { ToolMarks, ToolNotices } from "./tool-marks";

it("a notice names the tool to use instead as a link, with the note of the team", () => {
  const deprecation = { successor: "search v2", note: "Until March" };
  const { container } = fakeApi({}).render(<ToolNotices tool={{ enabled: true, deprecation }} />);
  expect(container.textContent).toBe("This tool is deprecated: use search v2 insteadUntil March");
  expect(screen.getByRole("link", { name: "search v2" }).getAttribute("href")).toBe("/tools/search%20v2");
});

it("a notice without a tool to use instead has no link", () => {
  const deprecation = { successor: null, note: null };
  const { container } = fakeApi({}).render(<ToolNotices tool={{ deprecation }} />);
  expect(container.textContent).toBe("This tool is deprecated");
  expect(screen.queryByRole("link")).toBeNull();
});

it("a tool without marks has neither badges nor notices, and one that is disabled has a badge alone", () => {
  const show = (tool: Parameters<typeof ToolMarks>[0]["tool"]) => (
    <>
      <ToolMarks tool={tool} />
      <ToolNotices tool={tool} />
    </>
  );
  const plain = { enabled: true, held: null, deprecation: null };
  const { container } = fakeApi({}).render(show(plain));
  expect(container.textContent).toBe("");
  fakeApi({}).render(show({ ...plain, enabled: false }));
  expect(screen.getByText("disabled").getAttribute("title")).toBe("Calls are refused until it is enabled");
  expect(screen.queryByText(/deprecated/)).toBeNull();
});
