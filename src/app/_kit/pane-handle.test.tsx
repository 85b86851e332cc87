// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { PaneHandle } from "./pane-handle";
import { DEFAULT_PREFERENCES, parsePreferences } from "./preferences";
import { PreferencesProvider } from "./preferences-provider";

afterEach(() => {
  document.documentElement.removeAttribute("style");
  vi.unstubAllGlobals();
});

/** The pane is as wide as the style of the root says, in a window of 1,000 px. */
function openPanes(): { saved: string[] } {
  const saved: string[] = [];
  vi.stubGlobal("fetch", (_url: string, { body }: { body: string }) => {
    saved.push(body);
    return Promise.resolve(new Response());
  });
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    const share = document.documentElement.style.getPropertyValue("--pane-tool").replace("%", "");
    const width =
      this.dataset.testid === "pane" ? Number(share === "" || share === "initial" ? 40 : share) * 10 : 1_000;
    return { left: 0, right: width, width } as DOMRect;
  });
  render(
    <PreferencesProvider initial={DEFAULT_PREFERENCES} mac={false}>
      <div data-testid="whole">
        <div data-testid="pane" />
        <PaneHandle pane="tool" label="Resize the arguments" resizes="before" />
        <div />
      </div>
    </PreferencesProvider>,
  );
  return { saved };
}

it("a pane is resized with the keyboard, is remembered, and Enter gives it its own width again", () => {
  const { saved } = openPanes();
  const handle = screen.getByRole("separator", { name: "Resize the arguments" });
  fireEvent.focus(handle);
  expect(handle.getAttribute("aria-valuenow")).toBe("40");
  fireEvent.keyDown(handle, { key: "ArrowRight" });
  expect(handle.getAttribute("aria-valuenow")).toBe("42");
  fireEvent.keyDown(handle, { key: "ArrowLeft", shiftKey: true });
  expect(document.documentElement.style.getPropertyValue("--pane-tool")).toBe("32%");
  expect(parsePreferences(saved.at(-1)).panes).toEqual({ tool: 32 });
  fireEvent.keyDown(handle, { key: "End" });
  expect(handle.getAttribute("aria-valuenow")).toBe("85");
  fireEvent.keyDown(handle, { key: "Enter" });
  expect(handle.getAttribute("aria-valuenow")).toBe("40");
  expect(parsePreferences(saved.at(-1)).panes).toEqual({});
});
