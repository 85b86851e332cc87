// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Button } from "./button";
import { ToastProvider, useToast } from "./toast";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function Page() {
  const toast = useToast();
  return (
    <>
      <Button onClick={() => toast({ title: "Saved" })}>Show</Button>
      <Button variant="primary">Run</Button>
      <Button type="submit">Save</Button>
      <Button variant="primary">Elsewhere</Button>
    </>
  );
}

it("a notice stands above the primary controls that it would cover, and follows the page", () => {
  vi.useFakeTimers();
  const boxes: Record<string, DOMRect> = {
    Run: new DOMRect(300, window.innerHeight - 90, 60, 40),
    Save: new DOMRect(300, window.innerHeight - 130, 60, 32),
    Elsewhere: new DOMRect(0, window.innerHeight - 190, 60, 32),
  };
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    if (this.tagName === "UL") return new DOMRect(100, 0, 260, 40);
    return boxes[this.textContent ?? ""] ?? new DOMRect();
  });
  render(<Page />, { wrapper: ToastProvider });
  const bottom = () => screen.getByRole("region", { name: "Notifications" }).querySelector("ul")?.style.bottom;
  expect(bottom()).toBeUndefined();
  fireEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(bottom()).toBe("138px");
  boxes.Run = new DOMRect(300, 100, 60, 40);
  delete boxes.Save;
  act(() => void vi.advanceTimersByTime(1_000));
  expect(bottom()).toBe("64px");
});
