// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, it } from "vitest";
import { Dialog } from "./dialog";

function Page({ leaves = false }: { leaves?: boolean }) {
  const [open, setOpen] = useState(false);
  const [gone, setGone] = useState(false);
  return (
    <main id="main" tabIndex={-1}>
      {!gone && (
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
      )}
      {open && (
        <Dialog title="Rename" onClose={() => setOpen(false)}>
          <input type="radio" aria-label="Choice" />
          <input aria-label="Name" />
          <div data-transient="">
            <input aria-label="Search" />
          </div>
          <button type="button" onClick={() => [setGone(leaves), setOpen(false)]}>
            Save
          </button>
        </Dialog>
      )}
    </main>
  );
}
const focus = () => document.activeElement;

function open(): void {
  const button = screen.getByRole("button", { name: "Open" });
  button.focus();
  fireEvent.click(button);
}

it("the first field has the focus, which returns to where it was", async () => {
  render(<Page />);
  open();
  await waitFor(() => expect(focus()).toBe(screen.getByLabelText("Name")));
  fireEvent.keyDown(screen.getByLabelText("Search"), { key: "Escape" });
  expect(screen.getByRole("dialog")).toBeDefined();
  fireEvent.keyDown(screen.getByLabelText("Name"), { key: "Escape" });
  await waitFor(() => expect(focus()).toBe(screen.getByRole("button", { name: "Open" })));
});

it("the page has the focus where what opened the dialog is gone", async () => {
  render(<Page leaves />);
  open();
  fireEvent.click(await screen.findByRole("button", { name: "Save" }));
  await waitFor(() => expect(focus()?.id).toBe("main"));
});
