// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { Problem } from "@/lib/contract/problem";
import { fakeApi } from "../fake-api.test-support";
import { EditDialog } from "./edit-dialog";
import { choices, defineForm, flag, names, optional, text } from "./fields";

interface Rule {
  name: string;
  tools: string[];
  events: ("fired" | "resolved")[];
  owner: string | null;
  note: string;
  enabled: boolean;
}

const RULE_FORM = defineForm<Rule>()({
  name: text("Name", { required: true, check: (typed) => (typed === "?" ? ["No question"] : []) }),
  tools: names("Tools"),
  events: choices(
    "Events",
    ["fired"],
    [
      { value: "fired", label: "Fired", code: "alert.fired" },
      { value: "resolved", label: "Resolved" },
    ],
  ),
  owner: optional("Owner", "Nobody", [{ value: "ada", label: "Ada" }]),
  note: text("Note", { when: ({ owner }) => owner !== "" }),
  enabled: flag("Enabled", { empty: true }),
});

const LAST_EDIT = { by: "Ada", at: 1, revision: 7 };

interface PageProps {
  save: (rule: Rule, revision: number | undefined) => Promise<unknown>;
  stored?: Rule;
}

function Page({ save, stored }: PageProps) {
  const [isOpen, setIsOpen] = useState(true);
  if (!isOpen) return <p>closed</p>;
  return (
    <EditDialog
      title="Rule"
      table={RULE_FORM}
      root="rule"
      {...(stored && { initial: stored, edited: { subject: "rule", lastEdit: LAST_EDIT } })}
      save={save}
      stale={[]}
      onClose={() => setIsOpen(false)}
    />
  );
}

const show = (save: PageProps["save"], stored?: Rule) =>
  fakeApi({}).render(<Page save={save} {...(stored && { stored })} />);
const submit = () => fireEvent.click(screen.getByRole("button", { name: "Save" }));
const refuseWith = (...problems: Problem[]) =>
  vi.fn(() => Promise.reject({ message: "Not valid", data: { problems } }));

it("a dialog over a table sends what its fields hold and closes", async () => {
  const save = vi.fn(async () => null);
  show(save);
  expect(screen.queryByLabelText("Note")).toBeNull();
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: " slow " } });
  fireEvent.change(screen.getByLabelText("Tools"), { target: { value: "echo, add" } });
  fireEvent.click(screen.getByLabelText(/^Resolved/));
  fireEvent.change(screen.getByLabelText("Owner"), { target: { value: "ada" } });
  fireEvent.change(screen.getByLabelText("Note"), { target: { value: "loud" } });
  fireEvent.click(screen.getByLabelText("Enabled"));
  submit();
  expect(await screen.findByText("closed")).toBeTruthy();
  const sent = {
    name: "slow",
    tools: ["echo", "add"],
    events: ["fired", "resolved"],
    owner: "ada",
    note: "loud",
    enabled: false,
  };
  expect(save).toHaveBeenCalledExactlyOnceWith(sent, undefined);
});

it("a dialog over a table begins with what is stored and names its revision", async () => {
  const save = vi.fn(async () => null);
  const stored: Rule = { name: "slow", tools: ["echo"], events: ["resolved"], owner: null, note: "", enabled: true };
  show(save, stored);
  expect(screen.getByLabelText<HTMLInputElement>("Tools").value).toBe("echo");
  expect(screen.getByLabelText<HTMLInputElement>(/^Fired/).checked).toBe(false);
  submit();
  expect(await screen.findByText("closed")).toBeTruthy();
  expect(save).toHaveBeenCalledExactlyOnceWith({ name: "slow", tools: ["echo"], events: ["resolved"], owner: null }, 7);
});

it("a dialog over a table shows a refusal at its field, which gets the focus, and the rest above the buttons", async () => {
  const save = refuseWith(
    { path: "rule.events[0]", message: "must be known" },
    { path: "rule.limit", message: "is reached" },
  );
  show(save);
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: "slow" } });
  submit();
  expect((await screen.findByText("must be known")).closest("fieldset")?.textContent).toMatch(/^Events/);
  expect(screen.getByRole("alert").textContent).toBe("Couldn't savelimit is reached");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Fired/)));
});

it("a dialog over a table sends nothing with a problem that it finds itself, which leaves once it is mended", async () => {
  const save = vi.fn(async () => null);
  show(save);
  const name = screen.getByLabelText(/^Name/);
  fireEvent.change(name, { target: { value: "?" } });
  expect(screen.queryByText("No question")).toBeNull();
  submit();
  expect(await screen.findByText("No question")).toBeTruthy();
  expect(document.activeElement).toBe(name);
  fireEvent.change(name, { target: { value: "!" } });
  expect(screen.queryByText("No question")).toBeNull();
  expect(save).not.toHaveBeenCalled();
});
