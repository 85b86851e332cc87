// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from "@testing-library/react";
import fc from "fast-check";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { executionStatusSchema } from "@/lib/contract/envelope";
import { tokenizeJson } from "./json-text";
import { Segmented } from "./segmented";
import { describeStatus, StatusBadge } from "./status-badge";
import { TabList, TabPanel } from "./tab-list";
import { ToastProvider, useToast } from "./toast";

afterEach(() => {
  vi.useRealTimers();
});

const TABS = [
  { value: "a", label: "A" },
  { value: "c", label: "C", count: 3 },
] as const;

function Tabs() {
  const [value, setValue] = useState<"a" | "c">("a");
  return (
    <TabList label="Parts" tabs={TABS} value={value} onChange={setValue}>
      <TabPanel value="a" active={value}>
        first
      </TabPanel>
      <TabPanel value="c" active={value}>
        third
      </TabPanel>
    </TabList>
  );
}

describe("TabList", () => {
  it("moves with the arrows, around the ends, and names its panel", () => {
    render(<Tabs />);
    const first = screen.getByRole("tab", { name: "A" });
    fireEvent.keyDown(first, { key: "ArrowRight" });
    const third = screen.getByRole("tab", { name: "C 3" });
    expect(third.getAttribute("aria-selected")).toBe("true");
    expect(document.activeElement).toBe(third);
    expect(first.tabIndex).toBe(-1);
    expect(screen.getByRole("tabpanel", { name: "C 3" }).textContent).toBe("third");
    fireEvent.keyDown(third, { key: "ArrowRight" });
    expect(screen.getByRole("tabpanel", { name: "A" }).textContent).toBe("first");
    fireEvent.keyDown(first, { key: "End" });
    expect(document.activeElement).toBe(third);
  });
});

describe("Segmented", () => {
  it("is a group of radio buttons that reports the choice", () => {
    const onChange = vi.fn();
    const options = [
      { value: "form", label: "Form" },
      { value: "json", label: "JSON" },
    ] as const;
    render(<Segmented label="Edit as" value="form" options={options} onChange={onChange} />);
    expect(screen.getByRole("radiogroup", { name: "Edit as" })).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: "JSON" }));
    expect(onChange).toHaveBeenCalledExactlyOnceWith("json");
  });
});

describe("StatusBadge", () => {
  it.each([
    ["tool_error", "failed", "failed"],
    ["invalid_arguments", "failed", "invalid"],
    ["rejected", "cancelled", "rejected"],
    ["approval_expired", "cancelled", "rejected"],
  ])("shows a call that failed with %s as %s, with the word %s", (errorKind, shown, word) => {
    const { container } = render(<StatusBadge status="failed" errorKind={errorKind} />);
    expect(container.querySelector("[data-status]")?.getAttribute("data-status")).toBe(shown);
    expect(container.textContent).toBe(word);
    expect(describeStatus("failed", errorKind)).toBe(word);
  });

  it("shows every status in one of the six words of the test contract", () => {
    const shown = executionStatusSchema.options.map((status) => {
      const { container, unmount } = render(<StatusBadge status={status} />);
      const word = container.querySelector("[data-status]")?.getAttribute("data-status");
      unmount();
      return [status, word];
    });
    expect(Object.fromEntries(shown)).toEqual({
      running: "running",
      succeeded: "succeeded",
      failed: "failed",
      cancelled: "cancelled",
      timed_out: "failed",
      interrupted: "failed",
      waiting: "waiting",
    });
  });
});

function Deleter({ onUndo }: { onUndo: () => void }) {
  const toast = useToast();
  return (
    <button type="button" onClick={() => toast({ title: "deleted", action: { label: "Undo", onClick: onUndo } })}>
      Delete
    </button>
  );
}

describe("toasts", () => {
  it("offer the action, go after a while, and wait while they have the focus", () => {
    vi.useFakeTimers();
    const onUndo = vi.fn();
    render(
      <ToastProvider>
        <Deleter onUndo={onUndo} />
      </ToastProvider>,
    );
    fireEvent.click(screen.getByRole("button", { name: "Delete" }));
    fireEvent.focus(screen.getByRole("button", { name: "Undo" }));
    act(() => vi.advanceTimersByTime(60_000));
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(onUndo).toHaveBeenCalledOnce();
    expect(screen.queryByText("deleted")).toBeNull();

    fireEvent.click(screen.getByRole("button", { name: "Delete" }));
    expect(screen.getByText("deleted")).toBeTruthy();
    act(() => vi.advanceTimersByTime(60_000));
    expect(screen.queryByText("deleted")).toBeNull();
  });
});

describe("tokenizeJson", () => {
  it("tells keys, strings and other values apart", () => {
    const kinds = tokenizeJson('{"a": ["b", -1.5e3, null]}').filter(({ kind }) => kind !== "plain");
    expect(kinds.map(({ kind, text }) => [kind, text])).toEqual([
      ["key", '"a"'],
      ["str", '"b"'],
      ["num", "-1.5e3"],
      ["num", "null"],
    ]);
  });

  it("reads a hostile text once: a string that is never closed is one token", () => {
    const text = `"${'\\"'.repeat(30_000)}`;
    expect(tokenizeJson(text)).toEqual([{ kind: "str", text, at: 0 }]);
  });

  it("loses nothing, whatever the text is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.json()), (text) => {
        expect(
          tokenizeJson(text)
            .map((token) => token.text)
            .join(""),
        ).toBe(text);
      }),
    );
  });
});
