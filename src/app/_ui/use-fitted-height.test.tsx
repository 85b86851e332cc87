// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Textarea } from "./field";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A browser whose lines are 20 px high, and that can or cannot size a field by its content. */
function layOut(canSize: boolean): void {
  vi.stubGlobal("CSS", { supports: () => canSize });
  vi.spyOn(HTMLTextAreaElement.prototype, "scrollHeight", "get").mockImplementation(function (
    this: HTMLTextAreaElement,
  ) {
    return this.value.split("\n").length * 20;
  });
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(22);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(20);
}

describe("a text area that is as high as its text", () => {
  it("grows and shrinks with its text where the browser cannot size it by its content", () => {
    layOut(false);
    const heightOf = (text: string) => {
      view.rerender(<Textarea fitted value={text} readOnly />);
      return view.container.querySelector("textarea")?.style.height;
    };
    const view = render(<Textarea fitted value="" readOnly />);
    expect(["one", "one\ntwo\nthree", "one\ntwo"].map(heightOf)).toEqual(["22px", "62px", "42px"]);
  });

  it("is left to a browser that can, and to others where it is not asked for", () => {
    layOut(true);
    const able = render(<Textarea fitted value="a" readOnly />);
    layOut(false);
    const plain = render(<Textarea value="a" readOnly />);
    for (const { container } of [able, plain]) expect(container.querySelector("textarea")?.style.height).toBe("");
  });
});
