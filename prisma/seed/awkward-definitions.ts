/**
 * Tools that are allowed and hard to show: as JSON text, since some keys cannot be written in an object literal. None
 * of them is wrong.
 */
interface Awkward {
  name: string;
  title?: string;
  description: string;
  parameters: object;
  implementation?: object;
  more?: object;
}

function definitionText({ name, title, description, parameters, implementation, more }: Awkward): string {
  return JSON.stringify({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    type: "function",
    handler: name.slice(0, 40),
    tags: ["awkward"],
    parameters: { type: "object", ...parameters },
    implementation: implementation ?? { type: "builtin", handler: "echo" },
    ...more,
  });
}

const shape = (kind: string, own: object): object => ({
  type: "object",
  title: kind,
  properties: {
    kind: { const: kind },
    label: { type: "string", description: "Kept when the kind changes" },
    ...own,
  },
  required: ["kind"],
});

const unions = definitionText({
  name: "awkward_unions",
  description: "Unions of every kind: by discriminator, by type, of constants, in lists, nested and nullable.",
  parameters: {
    properties: {
      contact: {
        description: "One of three shapes",
        oneOf: [
          shape("email", { address: { type: "string", format: "email" } }),
          shape("phone", { number: { type: "string" }, extension: { type: ["integer", "null"] } }),
          shape("post", { lines: { type: "array", items: { type: "string" }, minItems: 2 } }),
        ],
      },
      amount: { description: "A text or a number", anyOf: [{ type: "string", minLength: 1 }, { type: "number" }] },
      flag: { description: "A type list", type: ["boolean", "integer", "string", "null"] },
      size: {
        description: "Constants with titles",
        oneOf: [
          { const: 1, title: "small" },
          { const: 2, title: "large" },
        ],
      },
      parts: {
        description: "A list of choices",
        type: "array",
        items: {
          anyOf: [
            { type: "string" },
            shape("file", { bytes: { type: "integer" } }),
            { type: "array", items: { type: "number" } },
          ],
        },
      },
      merged: {
        description: "Two schemas that both apply",
        allOf: [
          { type: "object", properties: { a: { type: "string" } } },
          { properties: { b: { type: "integer" } }, required: ["a"] },
        ],
      },
    },
  },
});

const tree = definitionText({
  name: "awkward_tree",
  description: "A tree of nodes that refers to itself, and a filter that refers to itself through a list of choices.",
  parameters: {
    properties: {
      root: { $ref: "#/$defs/node" },
      filter: { $ref: "#/$defs/filter" },
    },
    required: ["root"],
    $defs: {
      node: {
        type: "object",
        properties: {
          name: { type: "string", description: "The node's name" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        },
        required: ["name"],
      },
      filter: {
        anyOf: [
          {
            type: "object",
            title: "all of",
            properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } },
            required: ["and"],
          },
          {
            type: "object",
            title: "equals",
            properties: { field: { type: "string" }, value: true },
            required: ["field", "value"],
          },
        ],
      },
    },
  },
});

function manyFields(count: number): string {
  const kinds = [
    { type: "string" },
    { type: "integer", minimum: 0 },
    { type: "boolean" },
    { enum: ["low", "normal", "high"], default: "normal" },
    { type: "array", items: { type: "string" } },
  ];
  const entries = Array.from({ length: count }, (_, index) => [
    `setting_${String(index + 1).padStart(3, "0")}`,
    { ...kinds[index % kinds.length], description: `Setting ${index + 1} of ${count}` },
  ]);
  return definitionText({
    name: "awkward_many_fields",
    description: `${count} settings in one form, as in generated schemas.`,
    parameters: { properties: Object.fromEntries(entries), required: ["setting_001", `setting_${count}`] },
  });
}

const LONG = "a_name_as_long_as_a_name_may_be.".repeat(4);

const longTexts = definitionText({
  name: LONG,
  title: `A title that does not end where a column does: ${"on and on ".repeat(18)}`.trim(),
  description: `${"Without a single space: "}${"w".repeat(400)}. ${"And a great many words. ".repeat(60)}`.trim(),
  parameters: {
    properties: {
      [`parameter_${"x".repeat(110)}`]: { type: "string", description: "long ".repeat(120).trim() },
      choice: { enum: ["short", "y".repeat(180), "نص طويل من اليمين إلى اليسار", "長い".repeat(40)] },
    },
  },
});

const missingHandler = definitionText({
  name: "awkward_missing_handler",
  description: "Refers to a builtin handler that is not registered: every call fails.",
  parameters: { properties: { anything: { type: "string", description: "Never read" } } },
  implementation: { type: "builtin", handler: "nobody_is_home" },
});

/** Keys that are special to JavaScript, to JSON pointers, to HTML or to the eye. */
const ODD_KEYS = [
  "__proto__",
  "constructor",
  "a/b",
  "m~n",
  "with space",
  "",
  "naïve ключ 🔑",
  "<b>bold</b>",
  "items[0].x",
];

const oddKeys = definitionText({
  name: "awkward_keys",
  title: '<img src=x onerror="alert(1)">',
  description: "Parameters named </script>, __proto__ and worse; shown as text and sent unchanged.",
  parameters: {
    properties: Object.fromEntries(
      ODD_KEYS.map((key) => [key, { type: "string", description: `The key ${JSON.stringify(key)}` }]),
    ),
    patternProperties: { "^x-": { type: "integer" } },
    additionalProperties: { type: ["string", "null"] },
  },
});

const beyondForms = definitionText({
  name: "awkward_conditions",
  description: "Conditions that no form can show in full: if and else, not, dependent schemas, tuples, limits on keys.",
  parameters: {
    properties: {
      country: { enum: ["NO", "NZ", "US"], description: "Determines the format of the postcode" },
      postcode: { type: "string", description: "Four digits, in the US five" },
      point: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "number" }],
        items: false,
        description: "A pair",
      },
      scores: {
        type: "object",
        propertyNames: { pattern: "^[a-z]+$" },
        additionalProperties: { type: "number" },
        minProperties: 1,
      },
      not_a_number: { not: { type: "number" }, description: "Anything but a number" },
      anything: { description: "Any value" },
      nothing: { type: "null", description: "Only null is allowed" },
    },
    if: { not: { properties: { country: { const: "US" } } } },
    else: { properties: { postcode: { pattern: "^[0-9]{5}$" } } },
    dependentRequired: { postcode: ["country"] },
  },
});

const largeResult = definitionText({
  name: "awkward_large_result",
  description: "Returns more than a model receives and more than the execution log stores.",
  parameters: { properties: {} },
  implementation: {
    type: "mock",
    mock_response: Array.from({ length: 400 }, (_, index) => ({
      row: index,
      text: `${"lorem ipsum ".repeat(8)}${index}`,
    })),
  },
  more: { max_stored_bytes: 30_000, max_model_chars: 2_000 },
});

const noParameters = definitionText({ name: "awkward_nothing", description: "?", parameters: {} });

/** Each with arguments that fit it. */
export const AWKWARD_TOOLS: readonly { definitionText: string; argumentsText: string }[] = [
  {
    definitionText: unions,
    argumentsText:
      '{"contact":{"kind":"phone","label":"work","number":"+47 22 00","extension":null},"amount":"12","flag":false,"size":2,"parts":["a",{"kind":"file","bytes":12},[1,2.5]],"merged":{"a":"x","b":1}}',
  },
  {
    definitionText: tree,
    argumentsText:
      '{"root":{"name":"one","children":[{"name":"two","children":[{"name":"three"}]},{"name":"four"}]},"filter":{"and":[{"field":"state","value":"open"}]}}',
  },
  { definitionText: manyFields(200), argumentsText: '{"setting_001":"first","setting_002":2,"setting_200":["last"]}' },
  { definitionText: longTexts, argumentsText: `{"choice":"${"y".repeat(180)}"}` },
  { definitionText: missingHandler, argumentsText: '{"anything":"goes nowhere"}' },
  {
    definitionText: oddKeys,
    argumentsText:
      '{"__proto__":"own","constructor":"own","a/b":"slash","m~n":"tilde","":"empty","<b>bold</b>":"text","x-count":3}',
  },
  {
    definitionText: beyondForms,
    argumentsText:
      '{"country":"US","postcode":"90210","point":[1.5,-2],"scores":{"alpha":1},"not_a_number":"one","anything":[null],"nothing":null}',
  },
  { definitionText: largeResult, argumentsText: "{}" },
  { definitionText: noParameters, argumentsText: '{"unasked":true}' },
];
