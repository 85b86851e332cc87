// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { MultiSelect } from "./multi-select";

const TOOLS = Array.from({ length: 12 }, (_, at) => ({ value: `tool_${at}`, label: `tool_${at}` }));

function Choice() {
  const [value, setValue] = useState<string[]>([]);
  return (
    <>
      <MultiSelect label="Tool" options={TOOLS} value={value} onChange={setValue} />
      <output>{value.join(" ")}</output>
    </>
  );
}

describe("MultiSelect", () => {
  it("Enter in the search picks the highlighted option, which arrow keys move", async () => {
    render(<Choice />);
    fireEvent.click(screen.getByRole("button", { name: "Tool" }));
    const search = await screen.findByRole("textbox", { name: "Search tool" });
    fireEvent.change(search, { target: { value: "tool_1" } });
    fireEvent.keyDown(search, { key: "Enter" });
    expect(screen.getByRole("status").textContent).toBe("tool_1");
    fireEvent.keyDown(search, { key: "ArrowDown" });
    const active = document.getElementById(search.getAttribute("aria-activedescendant") ?? "");
    expect(active).toBe(screen.getByRole("checkbox", { name: "tool_10" }));
    fireEvent.keyDown(search, { key: "Enter" });
    expect(screen.getByRole("status").textContent).toBe("tool_1 tool_10");
    fireEvent.keyDown(search, { key: "ArrowUp" });
    fireEvent.keyDown(search, { key: "Enter" });
    expect(screen.getByRole("status").textContent).toBe("tool_10");
  });
});
