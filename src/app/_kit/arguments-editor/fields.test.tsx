// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@/lib/contract/json";
import { getField, press, sent, sentText, show, state, type } from "./editor.test-support";

describe("absent, null and empty text", () => {
  it("RTE-03 are each reachable, shown apart and sent apart", () => {
    show({ note: { type: ["string", "null"] } });
    expect(sent()).toEqual({});
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "Omitted");
    fireEvent.click(state("/note", "null"));
    expect(sent()).toEqual({ note: null });
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "null");
    fireEvent.click(state("/note", "Value"));
    expect(sent()).toEqual({ note: "" });
    expect(screen.getByLabelText("note")).toHaveProperty("placeholder", "Empty text");
    type("note", "x");
    type("note", "");
    expect(sent()).toEqual({ note: "" });
    fireEvent.click(state("/note", "Omit"));
    expect(sent()).toEqual({});
  });

  it("going through absent and back brings the value back", () => {
    show({ note: { type: "string" } }, { note: "kept" });
    fireEvent.click(state("/note", "Omit"));
    fireEvent.click(state("/note", "Value"));
    expect(sent()).toEqual({ note: "kept" });
  });

  it("omitting a required field is never offered, and Backspace in its empty text omits it", () => {
    const schema = { required: ["note", "maybe"] };
    show({ note: { type: "string" }, maybe: { type: ["string", "null"] } }, {}, { schema });
    expect(within(getField("/note")).queryByRole("radiogroup")).toBeNull();
    expect(within(getField("/maybe")).queryByLabelText("Omit")).toBeNull();
    expect(state("/maybe", "null")).toBeDefined();
    type("note", "x");
    fireEvent.keyDown(screen.getByLabelText("note"), { key: "Backspace" });
    expect(sent()).toEqual({ note: "x" });
    type("note", "");
    fireEvent.keyDown(screen.getByLabelText("note"), { key: "Backspace", repeat: true });
    expect(sent()).toEqual({ note: "" });
    fireEvent.keyDown(screen.getByLabelText("note"), { key: "Backspace" });
    expect(sent()).toEqual({});
  });

  it("null is offered only where it is allowed or there already", () => {
    show({ a: { type: "string" }, b: { type: "string" } }, { b: null });
    expect(within(getField("/a")).queryByLabelText("null")).toBeNull();
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
    expect(getField("/id").textContent).toContain("sent as 12345678901234567000");
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
    expect(screen.getByLabelText<HTMLSelectElement>("units").selectedOptions[0]?.text).toBe('"kelvin" (not an option)');
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
    expect(getField("/units").textContent).toContain('Default: "celsius"');
    expect(sent()).toEqual({});
    press("Use default");
    expect(sent()).toEqual({ units: "celsius" });
    expect(screen.queryByRole("button", { name: "Use default" })).toBeNull();
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
    expect(sentText()).toBeNull();
    expect(getField("/any").textContent).toContain("line 1, column 7");
    fireEvent.click(screen.getByLabelText("JSON"));
    expect(screen.getByRole("alert").textContent).toBe("Fix the JSON before switching.");
    expect(screen.getByLabelText<HTMLInputElement>("Form").checked).toBe(true);
    type("any", '{"a": []}');
    expect(sent()).toEqual({ any: { a: [] } });
  });

  it("RTE-03 VAL-04 keys the schema does not know are kept, shown and removable", () => {
    const value: JsonValue = JSON.parse('{"known":"x","__proto__":{"a":1},"more":[1]}');
    show({ known: { type: "string" } }, value, { schema: { additionalProperties: false } });
    expect(within(getField("/more")).getByText("extra")).toBeTruthy();
    type("known", "y");
    expect(sentText()).toBe('{ "known": "y", "__proto__": { "a": 1 }, "more": [ 1 ] }');
    press("Remove more");
    expect(sentText()).toBe('{ "known": "y", "__proto__": { "a": 1 } }');
    type("__proto__", "2");
    expect(sentText()).toBe('{ "known": "y", "__proto__": 2 }');
  });
});

describe("a date", () => {
  const of = (format: string) => ({ type: "string", format });
  const open = async (label: string) => {
    press(`Pick a date for ${label}`);
    return within(await screen.findByRole("dialog")).getByRole<HTMLInputElement>("textbox");
  };

  it("VAL-05 has a calendar beside its text, and any text stays possible", async () => {
    show({ day: of("date"), at: of("date-time"), name: { type: "string" } });
    const day = await open("day");
    fireEvent.change(day, { target: { value: "2026-02-28" } });
    fireEvent.submit(day);
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const at = await open("at");
    fireEvent.change(at, { target: { value: "2026-02-28 12:30:05" } });
    fireEvent.submit(at);
    const instant = new Date("2026-02-28T12:30:05").toISOString().replace(".000Z", "Z");
    expect(sent()).toEqual({ day: "2026-02-28", at: instant });
    expect(within(getField("/name")).queryByRole("button", { name: /^Pick/ })).toBeNull();
    type("day", "tomorrow");
    expect(sent()).toMatchObject({ day: "tomorrow" });
  });

  it("VAL-05 of the clock takes the time that it is, as RFC 3339 writes it", () => {
    show({ hour: of("time") });
    press("Use the current time (UTC) for hour");
    expect(sent()).toEqual({ hour: expect.stringMatching(/^\d\d:\d\d:\d\dZ$/) });
  });
});

describe("a description", () => {
  it("stands above the children of an object, a list and a union", () => {
    const properties = { a: { type: "string" } };
    show(
      {
        object: { type: "object", description: "About the object", properties },
        list: { type: "array", description: "About the list", items: { type: "string" } },
        union: { description: "About the union", oneOf: [{ type: "object", properties }, { type: "string" }] },
      },
      { object: { a: "1" }, list: ["one"], union: { a: "2" } },
    );
    for (const [name, child] of [
      ["object", "/object/a"],
      ["list", "/list/0"],
      ["union", "/union/a"],
    ] as const) {
      const order = screen.getByText(`About the ${name}`).compareDocumentPosition(getField(child));
      expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    }
  });
});
