// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { useRef } from "react";
import { expect, it } from "vitest";
import { useFirstField } from "./use-first-field";

function Form({ name }: { name: string }) {
  const fields = useRef<HTMLDivElement>(null);
  useFirstField(fields);
  return (
    <div ref={fields}>
      <input type="checkbox" aria-label="Enabled" />
      <input aria-label="Name" defaultValue={name} />
    </div>
  );
}

it.each([
  ["a new form begins at its first field", "", "button", "Name"],
  ["the form of an edited thing leaves the focus where it is", "echo", "button", "Before"],
  ["a form that a tab opens leaves the focus on the tab, whose arrow keys go on", "", "tab", "Before"],
])("%s", (_, name, role, focused) => {
  const page = (form: boolean) => (
    <>
      <button type="button" role={role} aria-label="Before" />
      {form && <Form name={name} />}
    </>
  );
  const { rerender } = render(page(false));
  screen.getByLabelText("Before").focus();
  rerender(page(true));
  expect(document.activeElement).toBe(screen.getByLabelText(focused));
});
