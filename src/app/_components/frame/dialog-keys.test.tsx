// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { FormDialog } from "@/app/_kit/form-dialog";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { useSubmitKey } from "@/app/_kit/use-submit-key";
import { Dialog } from "@/app/_ui/dialog";
import { Menu } from "@/app/_ui/menu";
import { FrameCommandsProvider } from "./frame-commands";

const sent = vi.fn();
const left = vi.fn();
const onPage = vi.fn();

interface Shared {
  name: string;
  /** What has the focus once it is open. */
  focused: string;
  /** Ctrl+Enter from any of these sends it; none where there is nothing to send. */
  sendsFrom: readonly string[];
  /** Rendered while it is open. */
  show: (onClose: () => void) => React.ReactNode;
}

const fields = (
  <>
    <input type="radio" aria-label="Choice" />
    <textarea aria-label="Name" />
    <div {...leaveOnEscape(left)}>
      <input aria-label="Transient" />
    </div>
  </>
);

const SHARED: readonly Shared[] = [
  {
    name: "a form in a dialog",
    focused: "Name",
    sendsFrom: ["Name", "Close", "Cancel"],
    show: (onClose) => (
      <FormDialog title="Edit" submitLabel="Save" failure="Not saved" problem={null} onSubmit={sent} onClose={onClose}>
        {fields}
      </FormDialog>
    ),
  },
  {
    name: "a question before an action",
    focused: "Cancel",
    sendsFrom: ["Cancel", "Close"],
    show: (onClose) => (
      <ConfirmAction
        {...{ title: "Delete it?", action: "Delete", running: "Deleting…", failure: "Not deleted", stale: [], onClose }}
        run={async () => sent()}
        done={() => "Deleted"}
      />
    ),
  },
  {
    name: "a sheet",
    focused: "Name",
    sendsFrom: [],
    show: (onClose) => (
      <Dialog title="Settings" side="right" onClose={onClose}>
        {fields}
      </Dialog>
    ),
  },
];

function Page({ show }: Pick<Shared, "show">) {
  const [open, setOpen] = useState(false);
  useSubmitKey(onPage);
  return (
    // A form of the page, whose data the dialog edits a part of.
    <form aria-label="Page" onSubmit={onPage}>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Menu
        trigger={<button type="button">Actions</button>}
        items={[{ label: "Open from menu", onSelect: () => setOpen(true) }]}
      />
      {open && show(() => setOpen(false))}
    </form>
  );
}

const focus = () => document.activeElement;
const field = (name: string) => screen.queryByLabelText(name) ?? screen.getByRole("button", { name });

async function open({ show, focused }: Shared): Promise<HTMLElement> {
  sent.mockClear();
  left.mockClear();
  onPage.mockClear();
  fakeApi({}).render(
    <FrameCommandsProvider>
      <main id="main" tabIndex={-1}>
        <Page show={show} />
      </main>
    </FrameCommandsProvider>,
  );
  const button = screen.getByRole("button", { name: "Open" });
  button.focus();
  fireEvent.click(button);
  await waitFor(() => expect(focus()).toBe(field(focused)));
  return button;
}

describe.each(SHARED)("$name", (shared) => {
  it("begins at what it is for, and gives the focus back to what opened it", async () => {
    const button = await open(shared);
    fireEvent.keyDown(field(shared.focused), { key: "Escape" });
    await waitFor(() => expect(focus()).toBe(button));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("that a menu opens gives the focus back to the menu's button", async () => {
    const button = await open(shared);
    fireEvent.keyDown(field(shared.focused), { key: "Escape" });
    await waitFor(() => expect(focus()).toBe(button));
    const actions = screen.getByRole("button", { name: "Actions", hidden: true });
    fireEvent.click(actions);
    fireEvent.click(await screen.findByRole("menuitem", { name: "Open from menu" }));
    fireEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(focus()).toBe(screen.getByRole("button", { name: "Actions" })));
  });

  it("lets Escape leave only what is innermost", async () => {
    if (shared.focused !== "Name") return;
    await open(shared);
    fireEvent.keyDown(screen.getByLabelText("Transient"), { key: "Escape" });
    expect(left).toHaveBeenCalledOnce();
    expect(screen.getByRole("dialog")).toBeDefined();
  });

  it("has Ctrl+Enter for itself, wherever the focus is in it", async () => {
    await open(shared);
    for (const name of shared.sendsFrom) fireEvent.keyDown(field(name), { key: "Enter", ctrlKey: true });
    if (shared.sendsFrom.length === 0) fireEvent.keyDown(field(shared.focused), { key: "Enter", metaKey: true });
    await waitFor(() => expect(sent.mock.calls.length > 0).toBe(shared.sendsFrom.length > 0));
    expect(onPage).not.toHaveBeenCalled();
  });
});

function Token({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState(false);
  if (made) {
    return (
      <Dialog title="Token created" onClose={onClose}>
        <button type="button">Copy</button>
      </Dialog>
    );
  }
  return (
    <FormDialog
      {...{ title: "Create token", submitLabel: "Create", failure: "", problem: null, onClose }}
      onSubmit={() => setMade(true)}
    />
  );
}

it("a dialog that comes in the place of another gives the focus back to what opened the first", async () => {
  const button = await open({
    name: "",
    focused: "Cancel",
    sendsFrom: [],
    show: (onClose) => <Token onClose={onClose} />,
  });
  fireEvent.keyDown(field("Cancel"), { key: "Enter", ctrlKey: true });
  fireEvent.keyDown(await screen.findByRole("button", { name: "Copy" }), { key: "Escape" });
  await waitFor(() => expect(focus()).toBe(button));
});
