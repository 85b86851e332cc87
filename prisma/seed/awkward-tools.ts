import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import { readTools } from "./read-stories";
import { registerTools, type SeedContext } from "./seed-context";

/** A tool that is allowed and hard to show, with arguments that fit it. */
interface Awkward {
  definition: { name: string; [key: string]: unknown };
  arguments: object;
}

const FIELDS = 200;
const FIELD_KINDS = [
  { type: "string" },
  { type: "integer", minimum: 0 },
  { type: "boolean" },
  { enum: ["low", "normal", "high"], default: "normal" },
  { type: "array", items: { type: "string" } },
];

const define = (name: string, more: object, properties: object, required: string[] = []): Awkward["definition"] => ({
  name,
  type: "function",
  handler: name.slice(0, 40),
  tags: ["awkward"],
  parameters: { type: "object", properties, required },
  implementation: { type: "builtin", handler: "echo" },
  ...more,
});

/** What is long by repetition; the others are in `stories/awkward-tools.json`. */
function createLongTools(): Awkward[] {
  const fields = Array.from({ length: FIELDS }, (_, index) => [
    `setting_${String(index + 1).padStart(3, "0")}`,
    { ...FIELD_KINDS[index % FIELD_KINDS.length], description: `Setting ${index + 1} of ${FIELDS}` },
  ]);
  const manyFields = { description: `${FIELDS} settings in one form, as in generated schemas.` };
  const longTexts = {
    title: `A title that does not end where a column does: ${"on and on ".repeat(18)}`.trim(),
    description: `${"Without a single space: "}${"w".repeat(400)}. ${"And a great many words. ".repeat(60)}`.trim(),
  };
  const choices = ["short", "y".repeat(180), "نص طويل من اليمين إلى اليسار", "長い".repeat(40)];
  const rows = Array.from({ length: 400 }, (_, row) => ({ row, text: `${"lorem ipsum ".repeat(8)}${row}` }));
  const largeResult = {
    description: "Returns more than a model receives and more than the execution log stores.",
    implementation: { type: "mock", mock_response: rows },
    max_stored_bytes: 30_000,
    max_model_chars: 2_000,
  };
  return [
    {
      definition: define("awkward_many_fields", manyFields, Object.fromEntries(fields), ["setting_001", "setting_200"]),
      arguments: { setting_001: "first", setting_002: 2, setting_200: ["last"] },
    },
    {
      definition: define("a_name_as_long_as_a_name_may_be.".repeat(4), longTexts, {
        [`parameter_${"x".repeat(110)}`]: { type: "string", description: "long ".repeat(120).trim() },
        choice: { enum: choices },
      }),
      arguments: { choice: choices[1] },
    },
    { definition: define("awkward_large_result", largeResult, {}), arguments: {} },
  ];
}

/** Registers them, and calls each once with arguments that fit. */
export async function seedAwkwardTools({ withServices }: SeedContext): Promise<string> {
  const tools = [...readTools<Awkward>("awkward-tools.json"), ...createLongTools()];
  return withServices(async (services) => {
    const { registered } = await registerTools(
      services,
      tools.map(({ definition }) => definition),
    );
    for (const { definition, arguments: args } of tools) {
      const call = { tool: definition.name, argumentsText: JSON.stringify(args) };
      await services.executions.run(LOCAL_PRINCIPAL, call);
    }
    return `${registered} new tools, ${tools.length} calls`;
  });
}
