// @vitest-environment happy-dom
import { cleanup, createEvent, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Fault, JsonSchema, JsonValue } from "@/lib/contract";
import { ArgumentsEditor } from "./arguments-editor";
import { useArgumentsEditor } from "./use-arguments-editor";
import { WillBeSent } from "./will-be-sent";

afterEach(cleanup);

let sentText: string | null = null;

function Bench({ schema, text, faults }: { schema: JsonSchema; text: string; faults: Fault[] }) {
  const editor = useArgumentsEditor(text);
  sentText = editor.text;
  return (
    <>
      <ArgumentsEditor schema={schema} state={editor.state} dispatch={editor.dispatch} faults={faults} />
      <WillBeSent text={editor.text} faults={faults} broken={editor.broken} />
    </>
  );
}

function show(properties: JsonSchema, value: JsonValue = {}, options: { faults?: Fault[]; schema?: JsonSchema } = {}) {
  const schema = { type: "object", properties, ...options.schema };
  return render(<Bench schema={schema} text={JSON.stringify(value)} faults={options.faults ?? []} />);
}

const sent = (): JsonValue => JSON.parse(sentText ?? '"nothing"');
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

function fieldOf(pointer: string): HTMLElement {
  const field = [...document.querySelectorAll<HTMLElement>("[data-pointer]")].find(
    (e) => e.dataset.pointer === pointer,
  );
  if (field === undefined) throw new Error(`No field at ${pointer}`);
  return field;
}

function state(pointer: string, name: "absent" | "null" | "value"): HTMLInputElement {
  const [group] = within(fieldOf(pointer)).getAllByRole("radiogroup");
  if (group === undefined) throw new Error(`No state at ${pointer}`);
  return within(group).getByLabelText<HTMLInputElement>(name);
}

describe("absent, null and empty text", () => {
  it("RTE-03 are each reachable, shown apart and sent apart", () => {
    show({ note: { type: ["string", "null"] } });
    expect(sent()).toEqual({});
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "not sent");
    fireEvent.click(state("/note", "null"));
    expect(sent()).toEqual({ note: null });
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "null");
    fireEvent.click(state("/note", "value"));
    expect(sent()).toEqual({ note: "" });
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "empty text");
    type("note", "x");
    type("note", "");
    expect(sent()).toEqual({ note: "" });
    fireEvent.click(state("/note", "absent"));
    expect(sent()).toEqual({});
  });

  it("going through absent and back brings the value back", () => {
    show({ note: { type: "string" } }, { note: "kept" });
    fireEvent.click(state("/note", "absent"));
    fireEvent.click(state("/note", "value"));
    expect(sent()).toEqual({ note: "kept" });
  });

  it("null is offered only where it is allowed or there already", () => {
    show({ a: { type: "string" }, b: { type: "string" } }, { b: null });
    expect(within(fieldOf("/a")).queryByLabelText("null")).toBeNull();
    expect(state("/b", "null").checked).toBe(true);
  });
});

describe("numbers", () => {
  it("VAL-02 are sent as numbers once they are, as the text typed until then", () => {
    show({ days: { type: "number" } });
    const steps: [string, JsonValue][] = [
      ["-", "-"],
      ["-1", -1],
      ["-1.", "-1."],
      ["-1.0", -1],
    ];
    for (const [text, value] of steps) {
      type("days", text);
      expect(sent()).toEqual({ days: value });
      expect(screen.getByLabelText("days")).toHaveProperty("value", text);
    }
    type("days", "");
    expect(sent()).toEqual({});
  });

  it("VAL-02 a text that looks like a number stays a text", () => {
    show({ days: { type: "integer" } }, { days: "12" });
    expect(screen.getByLabelText("days")).toHaveProperty("value", '"12"');
    expect(sent()).toEqual({ days: "12" });
  });

  it("says what becomes of digits that do not fit", () => {
    show({ id: { type: "integer" } });
    type("id", "12345678901234567890");
    expect(fieldOf("/id").textContent).toContain("sent as 12345678901234567000");
  });

  it("emptied inside a list stay an element", () => {
    show({ list: { type: "array", items: { type: "number" } } }, { list: [1, 2] });
    type("list[0]", "");
    expect(sent()).toEqual({ list: ["", 2] });
    type("list[0]", "7");
    expect(sent()).toEqual({ list: [7, 2] });
  });
});

describe("text", () => {
  it("keeps line breaks, and carriage returns as JSON", () => {
    show({ a: { type: "string" }, b: { type: "string" } }, { b: "x\r\ny" });
    type("a", "one\ntwo");
    expect(screen.getByLabelText("b")).toHaveProperty("value", '"x\\r\\ny"');
    expect(sent()).toEqual({ a: "one\ntwo", b: "x\r\ny" });
  });

  it("Enter does not slip a line break into a single line", () => {
    show({ a: { type: "string" } }, { a: "x" });
    expect(fireEvent.keyDown(screen.getByLabelText("a"), { key: "Enter" })).toBe(false);
    expect(fireEvent.keyDown(screen.getByLabelText("a"), { key: "Enter", shiftKey: true })).toBe(true);
  });
});

describe("choices", () => {
  it("VAL-03 an option that is not allowed is kept and shown", () => {
    show({ units: { enum: ["celsius", "fahrenheit"] } }, { units: "kelvin" });
    expect(screen.getByLabelText<HTMLSelectElement>("units").selectedOptions[0]?.text).toBe(
      '"kelvin" (not in the list)',
    );
    expect(sent()).toEqual({ units: "kelvin" });
    type("units", "1");
    expect(sent()).toEqual({ units: "fahrenheit" });
    type("units", "absent");
    expect(sent()).toEqual({});
  });

  it("options of any type are sent as they are", () => {
    show({ level: { enum: [1, "1", true] } });
    type("level", "1");
    expect(sent()).toEqual({ level: "1" });
    type("level", "0");
    expect(sent()).toEqual({ level: 1 });
  });

  it("a default is offered and not sent until it is used", () => {
    show({ units: { enum: ["celsius", "fahrenheit"], default: "celsius" } });
    expect(fieldOf("/units").textContent).toContain('Default "celsius" is not sent');
    expect(sent()).toEqual({});
    press("use it");
    expect(sent()).toEqual({ units: "celsius" });
    expect(screen.queryByRole("button", { name: "use it" })).toBeNull();
  });

  it("an example is used by pressing it", () => {
    show({ city: { type: "string", examples: ["Oslo", "Paris"] } });
    press('"Paris"');
    expect(sent()).toEqual({ city: "Paris" });
  });

  it("false is a value, not an absence", () => {
    show({ flag: { type: "boolean" } });
    type("flag", "1");
    expect(sent()).toEqual({ flag: false });
  });
});

describe("values that do not fit", () => {
  it("VAL-02 are shown as JSON and sent unchanged", () => {
    const value = { text: { a: 1 }, list: "x", object: [1], flag: "true", n: { deep: [null] } };
    show(
      {
        text: { type: "string" },
        list: { type: "array", items: {} },
        object: { type: "object", properties: { a: {} } },
        flag: { type: "boolean" },
        n: { type: "number" },
      },
      value,
    );
    expect(screen.getByLabelText("flag")).toHaveProperty("value", '"true"');
    expect(screen.getByLabelText("text")).toHaveProperty("value", '{\n  "a": 1\n}');
    expect(sent()).toEqual(value);
  });

  it("the JSON field stays while it is typed in, even when the text begins to fit", () => {
    show({ text: { type: "string" } }, { text: 12 });
    const input = screen.getByLabelText("text");
    fireEvent.focus(input);
    type("text", '"12"');
    expect(screen.getByLabelText("text")).toBe(input);
    expect(sent()).toEqual({ text: "12" });
    fireEvent.blur(input);
    expect(screen.getByLabelText("text")).toHaveProperty("value", "12");
  });

  it("broken JSON in a field holds everything back and names the place", () => {
    show({ any: {} }, { any: 1 });
    type("any", '{"a": ]');
    expect(sentText).toBeNull();
    expect(fieldOf("/any").textContent).toContain("line 1, column 7");
    expect(screen.getByRole("region", { name: "Will be sent" }).textContent).toContain("any: a value is missing");
    fireEvent.click(screen.getByLabelText("JSON"));
    expect(screen.getByRole("alert").textContent).toContain("any: a value is missing");
    expect(screen.getByLabelText<HTMLInputElement>("Form").checked).toBe(true);
    type("any", '{"a": []}');
    expect(sent()).toEqual({ any: { a: [] } });
  });

  it("RTE-03 VAL-04 keys the schema does not know are kept, shown and removable", () => {
    const value: JsonValue = JSON.parse('{"known":"x","__proto__":{"a":1},"more":[1]}');
    show({ known: { type: "string" } }, value, { schema: { additionalProperties: false } });
    expect(within(fieldOf("/more")).getByText("extra")).toBeTruthy();
    type("known", "y");
    expect(sentText).toBe('{ "known": "y", "__proto__": { "a": 1 }, "more": [ 1 ] }');
    press("Remove more");
    expect(sentText).toBe('{ "known": "y", "__proto__": { "a": 1 } }');
    type("__proto__", "2");
    expect(sentText).toBe('{ "known": "y", "__proto__": 2 }');
  });
});

describe("structures", () => {
  const items: JsonSchema = {
    items: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } },
    },
  };

  it("lists of objects are added to, duplicated, moved and taken from", () => {
    show(items);
    expect(sent()).toEqual({});
    press("Add items");
    expect(sent()).toEqual({ items: [] });
    press(/^Add element/);
    type("items[0].price", "1.5");
    press("Duplicate items[0]");
    type("items[1].price", "2");
    press("Move items[1] up");
    expect(sent()).toEqual({ items: [{ price: 2 }, { price: 1.5 }] });
    press("Remove items[0]");
    expect(sent()).toEqual({ items: [{ price: 1.5 }] });
  });

  it("what a field keeps for itself moves with its element", () => {
    show({ list: { type: "array", items: { type: "number" } } }, { list: [5, 1] });
    type("list[1]", "1.0");
    press("Move list[1] up");
    expect(screen.getByLabelText("list[0]")).toHaveProperty("value", "1.0");
    expect(screen.getByLabelText("list[1]")).toHaveProperty("value", "5");
  });

  it("tuples give each position its schema, and stop where the schema does", () => {
    show(
      { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }], items: false } },
      { pair: ["a"] },
    );
    press(/^Add element/);
    expect(sent()).toEqual({ pair: ["a", false] });
    expect(screen.queryByRole("button", { name: /^Add element/ })).toBeNull();
  });

  it("maps take new keys by name, of the schema for them, and refuse a name twice", () => {
    show({ limits: { type: "object", additionalProperties: { type: "integer", minimum: 3 } } }, { limits: {} });
    press("Add key to limits");
    type("Name of the new key of limits", "__proto__");
    press("Add");
    expect(sentText).toBe('{ "limits": { "__proto__": 3 } }');
    press("Add key to limits");
    type("Name of the new key of limits", "__proto__");
    expect(screen.getByRole("button", { name: "Add" })).toHaveProperty("disabled", true);
    press("Cancel");
    press("Rename limits.__proto__");
    type("New name of limits.__proto__", "cpu");
    press("Rename");
    expect(sent()).toEqual({ limits: { cpu: 3 } });
  });

  it("a recursive reference opens as deep as the value goes", () => {
    const $defs = {
      node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } } },
    };
    show({ head: { $ref: "#/$defs/node" } }, {}, { schema: { $defs } });
    press("Add head");
    press("Add next (head.next)");
    press("Add next (head.next.next)");
    type("head.next.next.name", "third");
    expect(sent()).toEqual({ head: { next: { next: { name: "third" } } } });
  });

  it("nested objects fold, and fold back to what they were", () => {
    show({ outer: { type: "object", properties: { inner: { type: "string" } } } }, { outer: { inner: "x" } });
    press("outer");
    expect(screen.queryByLabelText("outer.inner")).toBeNull();
    press("outer");
    expect(screen.getByLabelText("outer.inner")).toHaveProperty("value", "x");
    expect(sent()).toEqual({ outer: { inner: "x" } });
  });
});

describe("unions", () => {
  const shape: JsonSchema = {
    shape: {
      oneOf: [
        { type: "object", properties: { kind: { const: "circle" }, r: { type: "number" } }, required: ["kind"] },
        { type: "object", properties: { kind: { const: "box" }, w: { type: "number" } }, required: ["kind"] },
        { type: "string" },
      ],
    },
  };

  it("show the branch that a value is of", () => {
    show(shape, { shape: { kind: "box", w: 3 } });
    expect(screen.getByLabelText<HTMLSelectElement>("shape variant").selectedOptions[0]?.text).toBe('kind: "box"');
    expect(screen.getByLabelText("shape.w")).toHaveProperty("value", "3");
  });

  it("are chosen, changed and changed back without losing what was entered", () => {
    show(shape);
    fireEvent.change(within(fieldOf("/shape")).getByRole("combobox"), { target: { value: "0" } });
    type("shape.r", "2");
    expect(sent()).toEqual({ shape: { kind: "circle", r: 2 } });
    const pick = (value: string) => {
      const [select] = within(fieldOf("/shape")).getAllByRole("combobox");
      if (select) fireEvent.change(select, { target: { value } });
    };
    pick("2");
    expect(sent()).toEqual({ shape: "" });
    type("shape", "text");
    pick("0");
    expect(sent()).toEqual({ shape: { kind: "circle", r: 2 } });
    pick("2");
    expect(sent()).toEqual({ shape: "text" });
  });

  it("stay on their branch while it is typed in", () => {
    show(
      {
        v: {
          anyOf: [
            { type: "string", maxLength: 2 },
            { type: "string", minLength: 3 },
          ],
        },
      },
      { v: "ab" },
    );
    const input = screen.getByLabelText("v");
    fireEvent.focus(input);
    type("v", "abc");
    expect(screen.getByLabelText("v")).toBe(input);
    expect(screen.getByLabelText("v variant")).toHaveProperty("value", "0");
  });

  it("a type list is a choice too, and a value of no branch is kept as JSON", () => {
    show({ v: { type: ["string", "integer"] } }, { v: [true] });
    expect(screen.getByLabelText<HTMLSelectElement>("v").selectedOptions[0]?.text).toBe("fits none of these");
    expect(screen.getByLabelText("v as JSON")).toHaveProperty("value", "[\n  true\n]");
    expect(sent()).toEqual({ v: [true] });
    fireEvent.change(screen.getByLabelText("v"), { target: { value: "1" } });
    expect(sent()).toEqual({ v: 0 });
  });
});

describe("faults", () => {
  const fault = (pointer: string, path: string, message: string): Fault => ({ pointer, path, keyword: "x", message });

  it("stand beside their field and are tied to it", () => {
    show({ days: { type: "integer" } }, { days: 1.5 }, { faults: [fault("/days", "days", "must be integer")] });
    const input = screen.getByLabelText("days");
    expect(input.getAttribute("aria-invalid")).toBe("true");
    const words = (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent);
    expect(words).toContain("must be integer");
  });

  it("of a place that is not shown stand at the nearest one that is", () => {
    show(
      { outer: { type: "object", properties: { inner: { type: "string" } } }, raw: { type: "string" } },
      { outer: { inner: 1 }, raw: { deep: 1 } },
      {
        faults: [
          fault("/outer/inner", "outer.inner", "must be string"),
          fault("/raw/deep", "raw.deep", "is odd"),
          fault("/outer/gone", "outer.gone", "missing"),
        ],
      },
    );
    expect(fieldOf("/raw").textContent).toContain("raw.deep is odd");
    expect(fieldOf("/outer").textContent).toContain("outer.gone missing");
    press("outer");
    expect(fieldOf("/outer").textContent).toContain("outer.inner must be string");
  });

  it("are counted, and visited one after the other", () => {
    show(
      { a: { type: "string" }, b: { type: "object", properties: { c: { type: "string" } } } },
      { b: { c: 1 } },
      { faults: [fault("/a", "a", "missing"), fault("/b/c", "b.c", "must be string")] },
    );
    press(/^2 problems/);
    expect(document.activeElement).toBe(screen.getByLabelText("a"));
    press(/^2 problems/);
    expect(document.activeElement).toBe(screen.getByLabelText("b.c"));
    press(/^2 problems/);
    expect(document.activeElement).toBe(screen.getByLabelText("a"));
  });
});

describe("filling", () => {
  function paste(target: Element, text: string) {
    const event = createEvent.paste(target, { clipboardData: { getData: () => text } });
    fireEvent(target, event);
    return event;
  }

  it("pasting an object beside the inputs replaces everything, and can be undone", () => {
    show({ a: { type: "string" } }, { a: "old" });
    paste(screen.getByRole("region", { name: "Arguments form" }), '{"a":"new","b":1}');
    expect(sent()).toEqual({ a: "new", b: 1 });
    expect(screen.getByLabelText("a")).toHaveProperty("value", "new");
    press("Undo");
    expect(sent()).toEqual({ a: "old" });
  });

  it("pasting into an input stays text, with the offer to fill", () => {
    show({ a: { type: "string" } }, { a: "old" });
    const event = paste(screen.getByLabelText("a"), '{"a":"new"}');
    expect(event.defaultPrevented).toBe(false);
    expect(sent()).toEqual({ a: "old" });
    press("Fill the form with this object");
    expect(sent()).toEqual({ a: "new" });
  });

  it("pasting what is no object does nothing of its own", () => {
    show({ a: { type: "string" } });
    expect(paste(screen.getByRole("region", { name: "Arguments form" }), "[1]").defaultPrevented).toBe(false);
    expect(sent()).toEqual({});
  });

  it("the dialog does the same for the keyboard, and says where text is broken", () => {
    show({ a: { type: "string" } });
    press("Fill from object…");
    type("Object to fill the form with", "{");
    press("Fill the form");
    expect(screen.getByRole("alert").textContent).toContain("Line 1, column 2");
    type("Object to fill the form with", '{"a":""}');
    press("Fill the form");
    expect(sent()).toEqual({ a: "" });
  });

  it("an example holds what is required, and reset brings the beginning back", () => {
    show({ a: { type: "string", default: "d" }, b: { type: "integer" } }, { b: 7 }, { schema: { required: ["a"] } });
    press("Insert example");
    expect(sent()).toEqual({ a: "d" });
    press("Reset");
    expect(sent()).toEqual({ b: 7 });
  });
});

describe("large schemas", () => {
  it("200 fields are searched, and typing draws only the field typed in", () => {
    const drawn: string[] = [];
    // An example is compared and written out whenever its field is drawn, which this one tells.
    const told = (name: string) =>
      new Proxy(
        { told: true },
        {
          ownKeys: (target) => {
            drawn.push(name);
            return Reflect.ownKeys(target);
          },
        },
      );
    // Label queries go through every element of the page, which is slow with this many.
    const field = (name: string) => document.querySelector<HTMLTextAreaElement>(`[aria-label="${name}"]`);
    const write = (name: string, text: string) => {
      const control = field(name);
      if (control !== null) fireEvent.change(control, { target: { value: text } });
    };
    const names = Array.from({ length: 200 }, (_, index) => `field_${index}`);
    show(Object.fromEntries(names.map((name) => [name, { type: "string", examples: [told(name)] }])));
    expect(new Set(drawn).size).toBe(200);
    drawn.length = 0;
    write("field_117", "x");
    write("field_117", "xy");
    expect([...new Set(drawn)]).toEqual(["field_117"]);

    write("Find a field", "field_19");
    expect(field("field_117")).toBeNull();
    expect(field("field_199")).not.toBeNull();
    expect(sent()).toEqual({ field_117: "xy" });
  });
});

describe("what will be sent", () => {
  it("is the text itself, its size in bytes and the first fault", () => {
    const fault: Fault = { pointer: "/days", path: "days", keyword: "type", message: "must be integer" };
    show({ city: { type: "string" } }, { city: "Tromsø" }, { faults: [fault] });
    const footer = screen.getByRole("region", { name: "Will be sent" });
    expect(within(footer).getByRole("group", { name: "Exact JSON that will be sent" }).textContent).toBe(sentText);
    expect(footer.textContent).toContain("21 bytes");
    expect(footer.textContent).toContain("days must be integer");
    fireEvent.click(within(footer).getByRole("button", { name: "Will be sent" }));
    expect(within(footer).queryByRole("group")).toBeNull();
  });
});
