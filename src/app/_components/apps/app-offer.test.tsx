// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AppOfferView } from "./app-offer";

const URL = "https://example.org/docs?from=app";

// Nothing is loaded.
const stay = (event: Event): void => event.preventDefault();
beforeAll(() => document.addEventListener("click", stay));
afterAll(() => document.removeEventListener("click", stay));

function show(kind: "link" | "message") {
  const answer = vi.fn();
  const onDone = vi.fn();
  const offer = kind === "link" ? ({ kind, url: URL, answer } as const) : ({ kind, text: "Again", answer } as const);
  render(<AppOfferView offer={offer} onDone={onDone} />);
  return { answer, onDone };
}
const address = () => screen.getByRole("link", { name: /^https:\/\/example\.org/ });
const open = () => screen.getByRole("link", { name: "Open" });
const middle = { button: 1 };

describe("a page that an App asks to open", () => {
  it.each([
    ["Open", true, () => fireEvent.click(open())],
    [
      "Open with the middle button",
      true,
      () => fireEvent(open(), new MouseEvent("auxclick", { ...middle, bubbles: true })),
    ],
    ["the address", true, () => fireEvent.click(address())],
    [
      "the address with the middle button",
      true,
      () => fireEvent(address(), new MouseEvent("auxclick", { ...middle, bubbles: true })),
    ],
    ["Decline", false, () => fireEvent.click(screen.getByRole("button", { name: "Decline" }))],
    ["Escape", false, () => fireEvent.keyDown(open(), { key: "Escape" })],
  ])("is answered once the person uses %s", (_way, taken, act) => {
    const { answer, onDone } = show("link");
    act();
    expect(answer.mock.calls).toEqual([[taken]]);
    expect(onDone).toHaveBeenCalledOnce();
  });

  it("is not answered by copying its address or by other keys and buttons", () => {
    const { answer } = show("link");
    fireEvent.click(screen.getByRole("button", { name: "Copy URL" }));
    fireEvent.keyDown(open(), { key: "Tab" });
    fireEvent(open(), new MouseEvent("auxclick", { button: 2, bubbles: true }));
    expect(answer).not.toHaveBeenCalled();
  });
});

it("a message that an App suggests is refused with Escape too", () => {
  const { answer } = show("message");
  fireEvent.keyDown(screen.getByRole("button", { name: "Use as draft" }), { key: "Escape" });
  expect(answer.mock.calls).toEqual([[false]]);
});
