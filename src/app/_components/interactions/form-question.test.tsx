// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { InteractionAnswer } from "@/lib/contract/interaction";
import type { JsonSchema } from "@/lib/contract/json";
import { FormQuestion } from "./question-card";

const object = (properties: JsonSchema, required: string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});

let nextId = 0;
let sent: InteractionAnswer[] = [];

/** @param missing names of fields that the server finds missing */
function show(schema: JsonSchema, missing: string[] = []) {
  nextId += 1;
  sent = [];
  const buildFault = (name: string) => ({
    pointer: `/${name}`,
    path: name,
    keyword: "required",
    message: "is required",
  });
  const api = fakeApi({
    "interactions.validate": ({ content }: { content: object }) => {
      const faults = missing.filter((name) => !Object.hasOwn(content, name)).map(buildFault);
      return { valid: faults.length === 0, faults, warnings: [] };
    },
  });
  const answering = { pending: false, error: null, send: (answer: InteractionAnswer) => sent.push(answer) };
  api.render(<FormQuestion id={`form_${nextId}`} server="files" schema={schema} answering={answering} />);
}

const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
const pick = (label: string, option: string) => {
  const found = [...screen.getByLabelText<HTMLSelectElement>(label).options].find(({ text }) => text === option);
  type(label, found?.value ?? "no such option");
};
const check = (list: string, option: string) =>
  fireEvent.click(within(screen.getByRole("group", { name: list })).getByLabelText(option));

async function submit(): Promise<unknown> {
  fireEvent.click(screen.getByRole("button", { name: "Submit" }));
  await waitFor(() => expect(sent).toHaveLength(1));
  return sent[0]?.action === "accept" ? sent[0].content : sent[0];
}

describe("the answer to a form", () => {
  it("sends each value in its own type, and omits what was left or made empty", async () => {
    show(
      object({
        name: { type: "string" },
        age: { type: "integer" },
        ratio: { type: "number" },
        ok: { type: "boolean" },
        nothing: { type: "string" },
        emptied: { type: "string", default: "Oslo" },
        nobody: { type: "integer", default: 3 },
      }),
    );
    type("name", " Ada ");
    type("age", "36");
    type("ratio", "0.50");
    pick("ok", "false");
    type("emptied", "");
    type("nobody", "");
    expect(await submit()).toEqual({ name: " Ada ", age: 36, ratio: 0.5, ok: false });
  });

  it("sends the defaults that the form starts with", async () => {
    show(
      object({
        city: { type: "string", default: "Oslo" },
        count: { type: "integer", default: 3 },
        loud: { type: "boolean", default: false },
        several: { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, default: ["c", "a"] },
      }),
    );
    expect(await submit()).toEqual({ city: "Oslo", count: 3, loud: false, several: ["c", "a"] });
  });

  it("labels fields and options by their titles, in each notation of the protocol, and sends the values", async () => {
    const titled = [
      { const: "#f00", title: "Red" },
      { const: "#00f", title: "Blue" },
    ];
    show(
      object({
        one: { type: "string", title: "First color", oneOf: titled },
        many: { type: "array", title: "All colors", items: { anyOf: titled } },
        old: { type: "string", enum: ["r", "b"], enumNames: ["Red", "Blue"] },
      }),
    );
    pick("First color", "Blue");
    check("All colors", "Blue");
    check("All colors", "Red");
    pick("old", "Red");
    expect(await submit()).toEqual({ one: "#00f", many: ["#f00", "#00f"], old: "r" });
  });

  it("names what is missing after the first attempt, focuses it, and sends an empty text that was chosen", async () => {
    show(object({ note: { type: "string" }, mail: { type: "string", format: "email" } }, ["note", "mail"]), ["note"]);
    type("mail", "ada@example.com");
    expect(screen.queryByRole("status")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Submit" }));
    expect((await screen.findByRole("status")).textContent).toBe("1 problem to fix");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("note")));
    expect(sent).toEqual([]);
    type("note", "x");
    type("note", "");
    type("mail", "");
    // Only where an empty text can be an answer.
    fireEvent.click(screen.getByRole("checkbox", { name: "Send empty text" }));
    expect(await submit()).toEqual({ note: "" });
  });

  it("sends an empty list where one is required and none is checked, and omits an optional one", async () => {
    const tags = { type: "array", items: { type: "string", enum: ["a", "b"] } };
    show(object({ tags, optional: tags }, ["tags"]));
    check("optional", "a");
    check("optional", "a");
    expect(await submit()).toEqual({ tags: [] });
  });

  it("submits with Enter from a line of text, and not while a JSON field cannot be parsed", async () => {
    show(object({ name: { type: "string" }, data: {} }));
    type("data", "{");
    fireEvent.keyDown(screen.getByLabelText("name"), { key: "Enter" });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("data")));
    type("data", '{"a": 1}');
    fireEvent.keyDown(screen.getByLabelText("name"), { key: "Enter" });
    await waitFor(() => expect(sent).toEqual([{ action: "accept", content: { data: { a: 1 } } }]));
  });

  it("sends fields that are named like properties of every object", async () => {
    show(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'));
    type("__proto__", "a");
    type("constructor", "b");
    expect(JSON.stringify(await submit())).toBe('{"__proto__":"a","constructor":"b"}');
  });
});
