import {
  code,
  editAs,
  expectSent,
  field,
  input,
  openTool,
  press,
  run,
  runButton,
  runBy,
  sendAs,
} from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";

test("RTE-03 absent, null and empty text are three things, each reachable and each arriving as such", async ({
  page,
  baseURL,
}) => {
  await openTool(page, baseURL, "editor_absence", { properties: { note: { type: ["string", "null"] } } });
  expect(await run(page, baseURL)).toEqual({});
  await sendAs(page, "/note", "null");
  expect(await run(page, baseURL)).toEqual({ note: null });
  await sendAs(page, "/note", "Value");
  await expect(input(page, "note")).toHaveAttribute("placeholder", "Empty text");
  expect(await run(page, baseURL)).toEqual({ note: "" });
  await sendAs(page, "/note", "Omit");
  expect(await run(page, baseURL)).toEqual({});
});

test("VAL-05 a oneOf is chosen by its discriminator, and what both shapes know is kept", async ({ page, baseURL }) => {
  const shape = (kind: string, own: object): object => ({
    type: "object",
    properties: { kind: { const: kind }, label: { type: "string" }, ...own },
    required: ["kind"],
  });
  const contact = {
    oneOf: [
      shape("email", { address: { type: "string" } }),
      shape("phone", { number: { type: "string" }, extension: { type: "integer" } }),
    ],
  };
  await openTool(page, baseURL, "editor_one_of", { properties: { contact } });
  await input(page, "contact").selectOption({ label: 'kind: "email"' });
  await input(page, "contact.label").fill("work");
  await input(page, "contact.address").fill("ada@example.org");
  await input(page, "contact variant").selectOption({ label: 'kind: "phone"' });
  await expectSent(page, { contact: { kind: "phone", label: "work" } });
  await input(page, "contact.number").fill("+64 4 000");
  await input(page, "contact.extension").fill("12");
  expect(await run(page, baseURL)).toEqual({
    contact: { kind: "phone", label: "work", number: "+64 4 000", extension: 12 },
  });
  await input(page, "contact variant").selectOption({ label: 'kind: "email"' });
  expect(await run(page, baseURL)).toEqual({ contact: { kind: "email", label: "work", address: "ada@example.org" } });
});

test("VAL-02 anyOf and type lists send the type that was chosen: a text of digits stays a text", async ({
  page,
  baseURL,
}) => {
  await openTool(page, baseURL, "editor_any_of", {
    properties: {
      code: { anyOf: [{ type: "string" }, { type: "number" }] },
      flag: { type: ["integer", "boolean"] },
    },
  });
  await input(page, "code").selectOption({ label: "string" });
  await input(page, "code").fill("42");
  await input(page, "flag").selectOption({ label: "boolean" });
  await input(page, "flag").selectOption({ label: "true" });
  expect(await run(page, baseURL)).toEqual({ code: "42", flag: true });
  await input(page, "code variant").selectOption({ label: "number" });
  await input(page, "code").fill("42");
  await input(page, "flag variant").selectOption({ label: "integer" });
  await input(page, "flag").fill("7");
  expect(await run(page, baseURL)).toEqual({ code: 42, flag: 7 });
  await input(page, "code variant").selectOption({ label: "Omitted" });
  expect(await run(page, baseURL)).toEqual({ flag: 7 });
});

test("VAL-05 a recursive $ref is filled three levels deep", async ({ page, baseURL }) => {
  const node = {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    required: ["name"],
  };
  await openTool(page, baseURL, "editor_tree", { properties: { root: { $ref: "#/$defs/node" } }, $defs: { node } });
  await press(page, "Add root");
  await input(page, "root.name").fill("one");
  for (const [path, name] of [
    ["root", "two"],
    ["root.children[0]", "three"],
  ]) {
    await press(page, `Add children (${path}.children)`);
    await press(page, `Add element to ${path}.children`);
    await input(page, `${path}.children[0].name`).fill(name ?? "");
  }
  expect(await run(page, baseURL)).toEqual({
    root: { name: "one", children: [{ name: "two", children: [{ name: "three" }] }] },
  });
});

test("VAL-05 lists of objects are added to, duplicated, moved and taken from, lists inside them too", async ({
  page,
  baseURL,
}) => {
  const line = {
    type: "object",
    properties: { sku: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
  };
  await openTool(page, baseURL, "editor_lists", { properties: { lines: { type: "array", items: line } } });
  await press(page, "Add lines");
  await press(page, "Add element to lines");
  await input(page, "lines[0].sku").fill("A");
  await press(page, "Add tags (lines[0].tags)");
  await press(page, "Add element to lines[0].tags");
  await input(page, "lines[0].tags[0]").fill("red");
  await press(page, "Duplicate lines[0]");
  await input(page, "lines[1].sku").fill("B");
  await press(page, "Duplicate lines[1].tags[0]");
  await input(page, "lines[1].tags[1]").fill("blue");
  await press(page, "Move lines[1] up");
  await press(page, "Move lines[0].tags[0] down");
  const expected = {
    lines: [
      { sku: "B", tags: ["blue", "red"] },
      { sku: "A", tags: ["red"] },
    ],
  };
  expect(await run(page, baseURL)).toEqual(expected);
  await press(page, "Remove lines[0]");
  expect(await run(page, baseURL)).toEqual({ lines: expected.lines.slice(1) });
});

test("VAL-05 a map takes keys by name, renames them and refuses a name twice", async ({ page, baseURL }) => {
  await openTool(page, baseURL, "editor_map", {
    properties: { limits: { type: "object", additionalProperties: { type: "integer" } } },
  });
  await press(page, "Add limits");
  for (const [name, value] of [
    ["cpu", "4"],
    ["__proto__", "5"],
  ]) {
    await press(page, "Add property to limits");
    await input(page, "New property name in limits").fill(name ?? "");
    await page.keyboard.press("Enter");
    await input(page, `limits.${name}`).fill(value ?? "");
  }
  await press(page, "Add property to limits");
  await input(page, "New property name in limits").fill("cpu");
  await expect(page.getByText("A property with this name already exists. Choose another name.")).toBeVisible();
  await page.keyboard.press("Escape");
  await press(page, "Rename limits.cpu");
  await input(page, "New name for limits.cpu").fill("cores");
  await page.keyboard.press("Enter");
  expect(JSON.stringify(await run(page, baseURL))).toBe('{"limits":{"cores":4,"__proto__":5}}');
});

test("VAL-03 a value outside the enum is kept, shown, and refused beside its field with the valid options", async ({
  page,
  baseURL,
}) => {
  const units = { enum: ["celsius", "fahrenheit"] };
  await openTool(page, baseURL, "editor_enum", { properties: { units } });
  await editAs(page, "JSON");
  await code(page).fill('{"units": "kelvin"}');
  await editAs(page, "Form");
  await expect(input(page, "units").locator("option:checked")).toHaveText('"kelvin" (not an option)');
  await expect(input(page, "units")).toHaveAccessibleDescription(/Must be one of "celsius", "fahrenheit"/);
  await expectSent(page, { units: "kelvin" });
  await input(page, "units").selectOption("celsius");
  await expect(page.getByText(/Must be one of/)).toHaveCount(0);
  expect(await run(page, baseURL)).toEqual({ units: "celsius" });
});

test("RTE-03 a default is offered and not sent until it is used", async ({ page, baseURL }) => {
  await openTool(page, baseURL, "editor_default", { properties: { limit: { type: "integer", default: 20 } } });
  await expect(field(page, "/limit")).toContainText("Default: 20 · Use default");
  expect(await run(page, baseURL)).toEqual({});
  await press(page, "Use default");
  expect(await run(page, baseURL)).toEqual({ limit: 20 });
});

test("VAL-01 Run is blocked while a required argument is missing, and Run anyway sends it all the same", async ({
  page,
  baseURL,
}) => {
  await openTool(page, baseURL, "editor_anyway", {
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
  });
  await input(page, "days").fill("1.5");
  await expect(input(page, "city")).toHaveAccessibleDescription(/Required/);
  await expect(runButton(page)).toHaveAccessibleDescription("2 invalid arguments");
  expect(await runBy(page, baseURL, () => press(page, "Run anyway"))).toEqual({ days: 1.5 });
  await page.getByRole("region", { name: "Result" }).getByRole("link", { name: "Open" }).click();
  await expect(page.getByText("Ran without validation.")).toBeVisible();
});

test("VAL-02 the server's problems appear beside their field and go once it is fixed", async ({ page, baseURL }) => {
  const price = { type: "number", exclusiveMinimum: 0 };
  await openTool(page, baseURL, "editor_faults", {
    properties: {
      days: { type: "integer" },
      items: { type: "array", items: { type: "object", properties: { price } } },
    },
  });
  await press(page, "Add items");
  await press(page, "Add element to items");
  await input(page, "items[0].price").fill("-2");
  await input(page, "days").fill("1.5");
  for (const [path, message] of [
    ["days", "Must be integer"],
    ["items[0].price", "Must be > 0"],
  ]) {
    await expect(input(page, path ?? "")).toHaveAttribute("aria-invalid", "true");
    await expect(input(page, path ?? "")).toHaveAccessibleDescription(new RegExp(message ?? ""));
  }
  await press(page, /^2 problems/);
  await expect(input(page, "days")).toBeFocused();
  await input(page, "days").fill("1.0");
  await expect(input(page, "days")).not.toHaveAttribute("aria-invalid", "true");
  await expect(input(page, "items[0].price")).toHaveAttribute("aria-invalid", "true");
  await input(page, "items[0].price").fill("2.50");
  await expect(page.getByText("Must be > 0")).toHaveCount(0);
  expect(await run(page, baseURL)).toEqual({ items: [{ price: 2.5 }], days: 1 });
});

test("VAL-05 two hundred fields are filled, searched and typed in, and all arrive", async ({ page, baseURL }) => {
  const names = Array.from({ length: 200 }, (_, index) => `field_${index}`);
  const properties = Object.fromEntries(
    names.map((name, index) => [name, { type: index % 2 === 0 ? "string" : "integer" }]),
  );
  const values = Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? `${index}` : index]));
  await openTool(page, baseURL, "editor_200", { properties });
  await press(page, "Paste JSON");
  await input(page, "JSON object").fill(JSON.stringify(values));
  await press(page, "Replace arguments");
  await input(page, "field_0").fill("");
  await input(page, "field_0").pressSequentially("the first, key by key");
  await input(page, "Search fields").fill("field_19");
  await expect(input(page, "field_117")).toHaveCount(0);
  await input(page, "field_199").fill("-1");
  await input(page, "Search fields").fill("");
  await input(page, "field_117").fill("118");
  expect(await run(page, baseURL)).toEqual({
    ...values,
    field_0: "the first, key by key",
    field_117: 118,
    field_199: -1,
  });
});
