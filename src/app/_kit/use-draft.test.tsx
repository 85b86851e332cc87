// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, renderHook, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { DraftNotice } from "./draft-notice";
import { EditConflict } from "./edit-conflict";
import { readKept, writeKept } from "./kept-draft";
import type { DraftFields } from "./merge-drafts";
import { useDraft } from "./use-draft";

interface Note {
  title: string;
  key: string;
}

const NOTE_FIELDS: DraftFields<Note> = {
  labels: { key: "Secret" },
  read: (draft) => ({ ...draft }),
  take: (draft, field, from) => ({ ...draft, [field]: from[field as keyof Note] }),
};

interface EditorProps {
  saved?: Note;
  base?: string;
  name?: string;
}

function Editor({ saved = { title: "", key: "" }, base = "v1", name = "note" }: EditorProps) {
  const held = useDraft<Note>(() => saved, { keptAs: name, base, toKept: (draft) => ({ ...draft, key: "" }) });
  return (
    <>
      <input
        aria-label="Title"
        value={held.draft.title}
        onChange={({ target }) => held.change({ title: target.value })}
      />
      <input aria-label="Key" value={held.draft.key} onChange={({ target }) => held.change({ key: target.value })} />
      <button type="button" onClick={() => held.settle(held.draft)}>
        Save
      </button>
      <DraftNotice held={held} />
      <output aria-label="Base">{held.base}</output>
      <EditConflict
        held={held}
        fields={NOTE_FIELDS}
        subject="note"
        lastEdit={{ revision: 2, by: "Ada", at: 0 }}
        pending={false}
      />
    </>
  );
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const type = (label: string, value: string) => fireEvent.change(field(label), { target: { value } });
const notice = () => screen.getByLabelText("Draft notice").textContent;
const base = () => screen.getByLabelText("Base").textContent;
const conflict = () => screen.queryByRole("alert")?.textContent ?? undefined;
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

function visitWith(draft: Partial<Note>, next: EditorProps = {}) {
  render(<Editor />);
  if (draft.title !== undefined) type("Title", draft.title);
  if (draft.key !== undefined) type("Key", draft.key);
  cleanup();
  return render(<Editor {...next} />);
}

describe("a kept draft", () => {
  it("is restored on the next visit and says so; discarding it can be undone", () => {
    visitWith({ title: "mine" });
    expect(field("Title").value).toBe("mine");
    expect(notice()).toContain("Restored your unsaved draft.");
    press("Discard draft");
    expect(field("Title").value).toBe("");
    expect(readKept("note")).toBeNull();
    press("Undo");
    expect(field("Title").value).toBe("mine");
    expect(readKept("note")).not.toBeNull();
  });

  it("ends when it is saved, taken back or left untouched", () => {
    visitWith({ title: "mine" });
    press("Save");
    expect([readKept("note"), notice()]).toEqual([null, ""]);
    cleanup();
    visitWith({ title: "" });
    expect([field("Title").value, notice(), sessionStorage.length]).toEqual(["", "", 0]);
  });

  it("leaves secrets out of the tab's storage and says that they are missing", () => {
    visitWith({ title: "mine", key: "hunter2" });
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("hunter2");
    expect([field("Title").value, field("Key").value]).toEqual(["mine", ""]);
    expect(notice()).toContain("Secret values were not kept: enter them again.");
  });

  it("says when what it changes has another version now, lets choose each field, and discards to that version", () => {
    visitWith({ title: "mine" }, { base: "v2", saved: { title: "theirs", key: "k" } });
    expect(field("Title").value).toBe("mine");
    expect(conflict()).toContain("Ada changed this note after you started editing");
    // The value that both began with is no longer known.
    expect(screen.getAllByRole("radiogroup")).toHaveLength(2);
    press("Discard draft");
    expect([field("Title").value, conflict()]).toEqual(["theirs", undefined]);
  });

  it("merges what only the other edit changed, and of a field that both changed the chosen side", () => {
    const { rerender } = render(<Editor />);
    rerender(<Editor base="v2" saved={{ title: "second", key: "" }} />);
    expect([field("Title").value, conflict(), base()]).toEqual(["second", undefined, "v2"]);
    type("Title", "mine");
    rerender(<Editor base="v3" saved={{ title: "third", key: "theirs" }} />);
    expect([field("Title").value, field("Key").value, base()]).toEqual(["mine", "", "v2"]);
    expect(conflict()).toContain("Merge keeps your changes and adds theirs: Secret.");
    press("Merge");
    expect([field("Title").value, field("Key").value, base(), conflict()]).toEqual(["mine", "theirs", "v3", undefined]);
    rerender(<Editor base="v4" saved={{ title: "fourth", key: "theirs" }} />);
    expect(screen.getByRole("radiogroup", { name: "Which Title" })).toBeDefined();
    fireEvent.click(screen.getByRole("radio", { name: "Take theirs" }));
    press("Merge");
    expect([field("Title").value, base()]).toEqual(["fourth", "v4"]);
  });

  it("overwrites with the draft as it is, from the version that is saved now", () => {
    const { rerender } = render(<Editor />);
    type("Title", "mine");
    rerender(<Editor base="v2" saved={{ title: "theirs", key: "theirs" }} />);
    press("Overwrite");
    expect([field("Title").value, field("Key").value, base(), conflict()]).toEqual(["mine", "", "v2", undefined]);
    cleanup();
    render(<Editor base="v2" saved={{ title: "theirs", key: "theirs" }} />);
    expect([field("Title").value, conflict()]).toEqual(["mine", undefined]);
  });

  it("is no conflict with another edit that made the same change", () => {
    const { rerender } = render(<Editor />);
    type("Title", "same");
    rerender(<Editor base="v2" saved={{ title: "same", key: "" }} />);
    expect([conflict(), base()]).toEqual([undefined, "v2"]);
  });

  it("moves with its name and is not shared between names", () => {
    const { rerender } = render(<Editor name="note.new" />);
    type("Title", "mine");
    rerender(<Editor name="note.1" />);
    expect([readKept("note.new"), readKept("note.1")?.text]).toEqual([null, '{"title":"mine","key":""}']);
    expect(field("Title").value).toBe("mine");
    cleanup();
    render(<Editor name="note.2" />);
    expect(field("Title").value).toBe("");
  });

  it("ignores what it cannot read, and works where the browser stores nothing", () => {
    for (const text of ["{", "null", '{"title":7,"other":1}']) {
      writeKept("note", { base: "v1", text, withheld: false });
      const { result, unmount } = renderHook(() => useDraft(() => ({ title: "a" }), { keptAs: "note" }));
      expect(result.current.draft).toEqual({ title: "a" });
      unmount();
    }
    const blocked = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("blocked", "QuotaExceededError");
    });
    const { result } = renderHook(() => useDraft(() => ({ title: "a" }), { keptAs: "other" }));
    act(() => result.current.change({ title: "b" }));
    expect(result.current.draft.title).toBe("b");
    blocked.mockRestore();
  });
});
