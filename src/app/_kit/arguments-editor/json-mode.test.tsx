// @vitest-environment happy-dom
import { EditorView } from "@codemirror/view";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Fault } from "@/lib/contract/envelope";
import { ArgumentsEditor } from "./arguments-editor";
import { choose, press } from "./editor.test-support";
import { useArgumentsEditor } from "./use-arguments-editor";

let sentText: string | null = null;

const schema = { type: "object", properties: { a: { type: "number" } } };

function Bench({ text, faults = [] }: { text: string; faults?: Fault[] }) {
  const editor = useArgumentsEditor(text, schema);
  sentText = editor.text;
  return <ArgumentsEditor schema={schema} state={editor.state} dispatch={editor.dispatch} faults={faults} />;
}

async function openJson(text: string, faults: Fault[] = []): Promise<EditorView> {
  render(<Bench text={text} faults={faults} />);
  fireEvent.click(screen.getByLabelText("JSON"));
  const content = await screen.findByLabelText("Arguments as JSON");
  const view = EditorView.findFromDOM(content);
  if (view === null) throw new Error("no editor");
  return view;
}

function write(view: EditorView, text: string) {
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
}

it("RTE-03 what is typed as JSON is what is sent, byte for byte, and what the form shows", async () => {
  const view = await openJson('{ "a":1}');
  expect(view.state.doc.toString()).toBe('{ "a":1}');
  const typed = '{"a": 2.0,\n\n   "more":null }';
  write(view, typed);
  expect(sentText).toBe(typed);
  fireEvent.click(screen.getByLabelText("Form"));
  expect(screen.getByLabelText("a")).toHaveProperty("value", "2");
  expect(screen.getByLabelText("more")).toHaveProperty("value", "null");
});

it("broken JSON refuses the form, says line and column, and moves the cursor there", async () => {
  const view = await openJson("{}");
  write(view, '{\n  "a": 1\n  "b": 2\n}');
  expect(sentText).toBeNull();
  fireEvent.click(screen.getByLabelText("Form"));
  expect(screen.getByRole("alert").textContent).toBe("Fix the JSON before switching.");
  expect(screen.getAllByText(/Line 3, column 3: expected a comma/)).toHaveLength(1);
  expect(screen.getByLabelText<HTMLInputElement>("JSON").checked).toBe(true);
  expect(view.state.selection.main.head).toBe(13);
  expect(view.hasFocus).toBe(true);
  expect(view.contentDOM.getAttribute("aria-invalid")).toBe("true");
  // The test's DOM reports a moved selection at once, in the middle of the editor's update; a browser waits.
  view.contentDOM.blur();
  write(view, '{"a": 1}');
  expect(screen.queryByRole("alert")).toBeNull();
  fireEvent.click(screen.getByLabelText("Form"));
  expect(screen.getByLabelText("a")).toHaveProperty("value", "1");
});

it("warns about what the tool gets differently without holding it back, and leads there", async () => {
  const view = await openJson("{}");
  write(view, '{"id": 12345678901234567890,\n"id": 1e400}');
  const warnings = screen.getAllByRole("button", { name: /^Line/ }).map((button) => button.textContent);
  expect(warnings).toEqual([
    "Line 1, column 8: 12345678901234567890 reaches the tool as 12345678901234567000",
    'Line 2, column 1: "id" is already on line 1; the tool gets only the last one',
    "Line 2, column 7: 1e400 reaches the tool as null",
  ]);
  expect(sentText).toBe('{"id": 12345678901234567890,\n"id": 1e400}');
  press(/^Line 2, column 7/);
  expect(view.state.selection.main.head).toBe(35);
});

it("VAL-05 the server's faults are listed with their line, and the counter leads to them", async () => {
  const fault = { pointer: "/a", path: "a", keyword: "type", message: "must be number" };
  const view = await openJson('{"a": "x"}', [fault]);
  expect(screen.getByRole("button", { name: "Line 1, column 7: a must be number" })).toBeTruthy();
  press(/^1 problem/);
  expect(view.state.selection.main.head).toBe(6);
});

it("formatting, filling, resetting and undoing reach the text in the editor", async () => {
  const view = await openJson('{"a": 1}');
  await choose("Format");
  expect(view.state.doc.toString()).toBe('{\n  "a": 1\n}');
  await choose("Insert example");
  expect(view.state.doc.toString()).toBe('{\n  "a": 0\n}');
  press("Undo");
  expect(view.state.doc.toString()).toBe('{\n  "a": 1\n}');
  write(view, "{");
  await choose("Reset");
  expect(view.state.doc.toString()).toBe('{"a": 1}');
  expect(sentText).toBe('{"a": 1}');
});

it("Tab is left to the page", async () => {
  const view = await openJson("{}");
  expect(fireEvent.keyDown(view.contentDOM, { key: "Tab" })).toBe(true);
  expect(view.state.doc.toString()).toBe("{}");
});

it("VAL-05 a warning of the server's verdict is listed as one and does not mark the text as invalid", async () => {
  const view = await openJson('{"a": 1}', [
    { pointer: "/a", path: "a", keyword: "format", message: 'must match format "uuid"', severity: "warning" },
  ]);
  expect(screen.getByRole("button", { name: /^Line 1/ }).textContent).toContain('must match format "uuid"');
  expect(screen.getByRole("button", { name: /1 warning/ })).toBeDefined();
  expect(view.contentDOM.getAttribute("aria-invalid")).not.toBe("true");
});
