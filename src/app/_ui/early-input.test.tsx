// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { useState } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, describe, expect, it } from "vitest";
import { Input, Textarea } from "./field";

function Form() {
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  return (
    <>
      <Input aria-label="name" value={name} onChange={(event) => setName(event.target.value)} />
      <Textarea aria-label="note" value={note} onChange={(event) => setNote(event.target.value)} />
      <output>{`${name}|${note}`}</output>
    </>
  );
}

let root: Root | undefined;
afterEach(async () => {
  await act(async () => root?.unmount());
  document.body.replaceChildren();
});

async function hydrateAfter(typeEarly: () => void): Promise<void> {
  const host = document.createElement("main");
  host.innerHTML = renderToString(<Form />);
  document.body.replaceChildren(host);
  typeEarly();
  await act(async () => {
    root = hydrateRoot(host, <Form />);
  });
}

const type = (label: string, text: string): void => {
  (screen.getByLabelText(label) as HTMLInputElement).value = text;
};

describe("a text control", () => {
  it("keeps what was typed before hydration, on the page and in the form's state", async () => {
    await hydrateAfter(() => {
      type("name", "Oslo");
      type("note", "first");
    });
    expect(screen.getByRole("status").textContent).toBe("Oslo|first");
    expect((screen.getByLabelText("name") as HTMLInputElement).value).toBe("Oslo");
    expect((screen.getByLabelText("note") as HTMLInputElement).value).toBe("first");
  });

  it("reports nothing when nothing was typed", async () => {
    await hydrateAfter(() => {});
    expect(screen.getByRole("status").textContent).toBe("|");
  });
});
