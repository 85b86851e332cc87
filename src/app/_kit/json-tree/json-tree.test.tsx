// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import axe from "axe-core";
import { renderToString } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import { JsonTree } from "./json-tree";

function active(): HTMLElement {
  const item = screen.getAllByRole("treeitem").find((each) => each.tabIndex === 0);
  if (!item) throw new Error("no active row");
  return item;
}

describe("JsonTree", () => {
  it("is one tab stop whose focus follows the arrow keys", () => {
    render(<JsonTree label="Result" text='{"a":{"b":1},"c":2}' />);
    expect(screen.getAllByRole("treeitem").filter((item) => item.tabIndex === 0)).toHaveLength(1);
    active().focus();
    fireEvent.keyDown(active(), { key: "ArrowDown" });
    expect(document.activeElement?.textContent).toContain('"a"');
    fireEvent.keyDown(active(), { key: "ArrowLeft" });
    expect(document.activeElement?.getAttribute("aria-expanded")).toBe("false");
    expect(screen.queryByText('"b"')).toBeNull();
  });

  it("says levels, positions and what is open to assistive technology, and axe finds nothing", async () => {
    const { container } = render(<JsonTree label="Result" text='{"a":[1,2]}' />);
    const second = screen.getAllByRole("treeitem")[3];
    expect(second?.getAttribute("aria-level")).toBe("3");
    expect(second?.getAttribute("aria-posinset")).toBe("2");
    expect(second?.getAttribute("aria-setsize")).toBe("2");
    const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.map((each) => each.id)).toEqual([]);
  });

  it("copies path and value of the selected row, strings without their quotes", async () => {
    const writeText = vi.fn(async () => {});
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    render(<JsonTree label="Result" text={JSON.stringify({ items: [{ name: 'a "b"' }] })} />);
    fireEvent.click(screen.getByText('"name"'));
    fireEvent.click(screen.getByRole("button", { name: "Copy path" }));
    fireEvent.click(screen.getByRole("button", { name: "Copy value" }));
    expect(writeText.mock.calls).toEqual([["$.items[0].name"], ['a "b"']]);
    vi.unstubAllGlobals();
  });

  it("goes from match to match in keys and values, opening what hides them", async () => {
    const items = Array.from({ length: 250 }, (_, at) => ({
      id: at,
      note: at === 240 ? `${"x".repeat(300)} Needle` : "",
    }));
    render(<JsonTree label="Result" text={JSON.stringify({ needles: 1, items })} />);
    fireEvent.click(screen.getByRole("button", { name: "Search in result" }));
    const search = await screen.findByRole("searchbox", { name: "Search in result" });
    fireEvent.change(search, { target: { value: "needle" } });
    expect(screen.getByText("1 of 2")).toBeDefined();
    expect(active().textContent).toContain('"needles": 1');
    fireEvent.keyDown(search, { key: "Enter" });
    expect(screen.getByText("2 of 2")).toBeDefined();
    expect(active().textContent).toContain("xxx Needle");
    fireEvent.keyDown(search, { key: "Enter" });
    expect(screen.getByText("1 of 2")).toBeDefined();
    fireEvent.change(search, { target: { value: "absent" } });
    expect(screen.getByText("No matches")).toBeDefined();
    fireEvent.keyDown(search, { key: "Escape" });
    expect(screen.queryByRole("searchbox")).toBeNull();
  });

  it("clips a long string and gives it whole when its row is opened", () => {
    const long = "x".repeat(500);
    render(<JsonTree label="Result" text={JSON.stringify({ long })} />);
    expect(screen.queryByText(`"${long}"`)).toBeNull();
    fireEvent.click(screen.getByText(/more characters/));
    expect(screen.getByText(`"${long}"`)).toBeDefined();
  });

  it("shows text that is not JSON, or was cut off, as it is", () => {
    render(<JsonTree label="Result" text={'{"a": [1, 2'} />);
    expect(screen.queryByRole("tree")).toBeNull();
    expect(screen.getByText('{"a": [1, 2')).toBeDefined();
  });

  it("keeps digits that JavaScript numbers lose", () => {
    render(<JsonTree label="Result" text='{"id": 12345678901234567890}' />);
    expect(screen.getByText("12345678901234567890")).toBeDefined();
  });

  it("shows no image of a data URL until asked", async () => {
    const text = '{"icon":"data:image/png;base64,iVBORw0KGgo="}';
    const { container } = render(<JsonTree label="Result" text={text} />);
    fireEvent.click(screen.getByText('"icon"'));
    expect(container.querySelector("img")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show image" }));
    const image = await screen.findByRole("img", { name: "Value of $.icon" });
    expect(image.getAttribute("src")).toBe("data:image/png;base64,iVBORw0KGgo=");
  });

  it("offers no image for kinds that can carry scripts", () => {
    render(<JsonTree label="Result" text='["data:image/svg+xml;base64,PHN2Zz4="]' />);
    fireEvent.click(screen.getByText(/svg/));
    expect(screen.queryByRole("button", { name: "Show image" })).toBeNull();
  });
});

describe("a text of many values", () => {
  const lists = (count: number) => `[${Array.from({ length: count }, () => "[]").join()}]`;

  it("becomes a tree in the browser, and never on the server, whose thread that would block", () => {
    const small = lists(1_000);
    expect(renderToString(<JsonTree label="Result" text={small} />)).toContain('role="tree"');
    const large = lists(120_000);
    const html = renderToString(<JsonTree label="Result" text={large} />);
    expect(html).not.toContain('role="tree"');
    expect(html).toContain("[[],[],[]");
    render(<JsonTree label="Result" text={large} />);
    expect(screen.getByRole("tree", { name: "Result" })).toBeTruthy();
  });

  it("is text where it is too large or too deep for a tree", () => {
    for (const text of [lists(700_000), `${"[".repeat(1500)}${"]".repeat(1500)}`]) {
      const { unmount } = render(<JsonTree label="Result" text={text} />);
      expect(screen.queryByRole("tree")).toBeNull();
      expect(screen.getByText(/^\[\[/)).toBeTruthy();
      unmount();
    }
  });
});
