// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { renderToString } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { JsonEditor } from "./json-editor";

interface EditorProps {
  label?: string;
  onText?: (text: string) => void;
}

function Editor({ label = "Parameters", onText }: EditorProps) {
  const [text, setText] = useState('{"a": 1}');
  const change = (next: string) => {
    setText(next);
    onText?.(next);
  };
  return <JsonEditor label={label} value={text} onChange={change} />;
}

const box = (name = "Parameters") => screen.getByRole("textbox", { name });
const whenReplaced = (name?: string) => waitFor(() => expect(box(name).tagName).not.toBe("TEXTAREA"));

describe("the JSON editor", () => {
  it("is a plain text field that replaces itself once it is focused, and keeps text, selection and focus", async () => {
    const texts: string[] = [];
    render(<Editor onText={(text) => texts.push(text)} />);
    const field = box() as HTMLTextAreaElement;
    expect(field.tagName).toBe("TEXTAREA");
    field.focus();
    fireEvent.change(field, { target: { value: '{"a": 12}' } });
    field.setSelectionRange(6, 8);
    await whenReplaced();
    expect(box().textContent).toBe('{"a": 12}');
    expect(document.activeElement).toBe(box());
    expect(document.getSelection()?.toString()).toBe("12");
    expect(texts).toEqual(['{"a": 12}']);
  });

  it("does not replace the field while a character is composed or a selection is dragged", async () => {
    render(
      <>
        <Editor />
        <Editor label="Later" />
      </>,
    );
    fireEvent.compositionStart(box());
    fireEvent.focus(box());
    fireEvent.focus(box("Later"));
    await whenReplaced("Later");
    expect(box().tagName).toBe("TEXTAREA");
    fireEvent.compositionEnd(box());
    await whenReplaced();
  });

  it("cannot be typed in before the page is hydrated, which would lose the text", () => {
    expect(renderToString(<Editor />)).toContain("readOnly");
  });
});
