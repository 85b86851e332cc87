import { choose, expectSent, input, openTool, press, run, runButton, runBy, sendAs } from "./support/arguments-editor";
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
  await choose(page, "Paste JSON");
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
