// @vitest-environment happy-dom
import { createEvent, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Fault } from "@/lib/contract/envelope";
import { choose, getField, press, sent, sentText, show, type } from "./editor.test-support";

describe("faults", () => {
  const fault = (pointer: string, path: string, message: string): Fault => ({ pointer, path, keyword: "x", message });

  it("stand beside their field and are tied to it", () => {
    show({ days: { type: "integer" } }, { days: 1.5 }, { faults: [fault("/days", "days", "must be integer")] });
    const input = screen.getByLabelText("days");
    expect(input.getAttribute("aria-invalid")).toBe("true");
    const words = (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent);
    expect(words).toContain("Must be integer");
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
    expect(getField("/raw").textContent).toContain("raw.deep is odd");
    expect(getField("/outer").textContent).toContain("outer.gone missing");
    press("outer");
    expect(getField("/outer").textContent).toContain("outer.inner must be string");
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
    press("Use as arguments");
    expect(sent()).toEqual({ a: "new" });
  });

  it("pasting what is no object does nothing of its own", () => {
    show({ a: { type: "string" } });
    expect(paste(screen.getByRole("region", { name: "Arguments form" }), "[1]").defaultPrevented).toBe(false);
    expect(sent()).toEqual({});
  });

  it("the dialog does the same for the keyboard, and says where text is broken", async () => {
    show({ a: { type: "string" } });
    await choose("Paste JSON");
    await screen.findByLabelText("JSON object");
    type("JSON object", "{");
    press("Replace arguments");
    expect(screen.getByRole("alert").textContent).toContain("Line 1, column 2");
    type("JSON object", '{"a":""}');
    press("Replace arguments");
    expect(sent()).toEqual({ a: "" });
  });

  it("an example of a tool that requires nothing holds what it takes; where it takes nothing, none is offered", async () => {
    const { unmount } = show({ a: { type: "string" }, b: { type: "integer", minimum: 3 } });
    await choose("Insert example");
    expect(sent()).toEqual({ a: "text", b: 3 });
    unmount();
    show({});
    press("Argument actions");
    await screen.findByRole("menuitem", { name: "Paste JSON" });
    expect(screen.queryByRole("menuitem", { name: "Insert example" })).toBeNull();
  });

  it("an example holds what is required, and reset brings the beginning back", async () => {
    show({ a: { type: "string", default: "d" }, b: { type: "integer" } }, { b: 7 }, { schema: { required: ["a"] } });
    await choose("Insert example");
    expect(sent()).toEqual({ a: "d" });
    await choose("Reset");
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

    write("Search fields", "field_19");
    expect(field("field_117")).toBeNull();
    expect(field("field_199")).not.toBeNull();
    expect(sent()).toEqual({ field_117: "xy" });
  });
});

describe("what will be sent", () => {
  it("is the text itself and its size in bytes; what is wrong with it is said once, at its field", () => {
    const fault: Fault = { pointer: "/city", path: "city", keyword: "pattern", message: "must match pattern" };
    show({ city: { type: "string" } }, { city: "Tromsø" }, { faults: [fault] });
    const footer = screen.getByRole("region", { name: "Request body" });
    expect(within(footer).getByRole("group", { name: "Exact request body" }).textContent).toBe(sentText());
    expect(footer.textContent).toContain("21 bytes");
    expect(screen.getAllByText(/must match pattern/i)).toHaveLength(1);
    fireEvent.click(within(footer).getByRole("button", { name: "Request body" }));
    expect(within(footer).queryByRole("group")).toBeNull();
  });

  it("is folded in JSON mode, where the text above says the same", async () => {
    show({ city: { type: "string" } }, { city: "Oslo" });
    fireEvent.click(screen.getByRole("radio", { name: "JSON" }));
    const footer = screen.getByRole("region", { name: "Request body" });
    expect(within(footer).queryByRole("group")).toBeNull();
    expect(footer.textContent).toContain("bytes");
    fireEvent.click(within(footer).getByRole("button", { name: "Request body" }));
    expect(within(footer).getByRole("group", { name: "Exact request body" })).toBeTruthy();
  });
});

describe("an example", () => {
  it("VAL-05 that the schema refuses says why", async () => {
    const fault: Fault = { pointer: "/code", path: "code", keyword: "pattern", message: 'must match pattern "^X"' };
    const schema = { required: ["code"] };
    show({ code: { type: "string", pattern: "^X" } }, {}, { schema, faults: [fault] });
    await choose("Insert example");
    expect(sent()).toEqual({ code: "text" });
    expect(screen.getByLabelText("Arguments notice").textContent).toContain(
      'Inserted an example. It does not satisfy the schema: code must match pattern "^X".',
    );
    press("Undo");
    expect(sent()).toEqual({});
  });
});
