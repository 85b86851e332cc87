// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { usePagePaste } from "./use-page-paste";

function paste(target: Element, text: string): void {
  const event = new Event("paste", { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: { getData: () => text } });
  target.dispatchEvent(event);
}

function Page({ onText }: { onText: (text: string) => void }) {
  usePagePaste(onText);
  return (
    <>
      <p>Paste here</p>
      <input aria-label="Name" />
    </>
  );
}

it("a text that is pasted while no field has the focus goes to the page, and one in a field stays there", () => {
  const taken: string[] = [];
  render(<Page onText={(text) => void taken.push(text)} />);
  paste(screen.getByText("Paste here"), "{}");
  paste(screen.getByRole("textbox"), "files");
  paste(document.body, " ");
  expect(taken).toEqual(["{}"]);
});
