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

/** Options that a server finds, which answers when the button is pressed. */
function SearchedChoice() {
  const [value, setValue] = useState<string[]>([]);
  const [typed, setTyped] = useState("");
  const [answered, setAnswered] = useState("");
  const options = TOOLS.filter(({ value: name }) => name.endsWith(answered));
  return (
    <>
      <MultiSelect
        label="Tool"
        options={options}
        value={value}
        onChange={setValue}
        search={{ onType: setTyped, isBusy: typed !== answered, hasMore: false }}
      />
      <button type="button" onClick={() => setAnswered(typed)}>
        Answer
      </button>
      <output>{value.join(" ")}</output>
    </>
  );
}

describe("MultiSelect", () => {
  it("keeps an Enter until the server has found what is typed, and picks the first; typing cancels it", async () => {
    render(<SearchedChoice />);
    fireEvent.click(screen.getByRole("button", { name: "Tool" }));
    const search = await screen.findByRole("textbox", { name: "Search tool" });
    const answer = screen.getByText("Answer");
    const chosen = () => screen.getByRole("status").textContent;
    fireEvent.change(search, { target: { value: "_11" } });
    fireEvent.keyDown(search, { key: "Enter" });
    expect(chosen()).toBe("");
    fireEvent.click(answer);
    expect(chosen()).toBe("tool_11");
    fireEvent.change(search, { target: { value: "_5" } });
    fireEvent.keyDown(search, { key: "Enter" });
    fireEvent.change(search, { target: { value: "_7" } });
    fireEvent.click(answer);
    expect(chosen()).toBe("tool_11");
    fireEvent.keyDown(search, { key: "Enter" });
    expect(chosen()).toBe("tool_11 tool_7");
  });

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
