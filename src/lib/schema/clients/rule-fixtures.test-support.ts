import type { JsonSchema } from "../../contract/json";
import type { CheckedSkill } from "./check-skill";
import type { CheckedTool } from "./check-tool";
import type { ClientProfile, ClientRule } from "./client-profile";

export const SERVER = "toolroom";

export const createTool = (more: Partial<CheckedTool> = {}): CheckedTool => ({
  name: "read_file",
  catalogName: "files__read_file",
  description: "Reads a file.",
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  hasApp: false,
  meta: {},
  longestResult: null,
  asks: [],
  ...more,
});

/** Tools that break a rule, and the same tools without the fault. */
export interface RuleFixture {
  failing: CheckedTool[];
  repaired: CheckedTool[];
  /** The skills beside them. */
  skills?: { failing: CheckedSkill; repaired: CheckedSkill };
}

const ofSkills = (failing: Partial<CheckedSkill>, repaired: Partial<CheckedSkill>): RuleFixture => ({
  failing: [createTool()],
  repaired: [createTool()],
  skills: { failing: { ...SKILL, ...failing }, repaired: { ...SKILL, ...repaired } },
});

export const SKILL: CheckedSkill = { name: "refund-review", description: "Checks a refund." };

const ofSchemas = (failing: JsonSchema, repaired: JsonSchema): RuleFixture => ({
  failing: [createTool({ schema: failing })],
  repaired: [createTool({ schema: repaired })],
});

const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});

/** Just beyond what a rule takes, and just within it. */
export function createFixture(rule: ClientRule, { prefix }: ClientProfile): RuleFixture {
  switch (rule.check) {
    case "name-length": {
      const whole = prefix.replace("{server}", SERVER);
      const added = { list: 0, full: whole.length, combined: SERVER.length }[rule.of];
      const room = rule.max - added;
      return {
        failing: [createTool({ name: "n".repeat(room + 1) })],
        repaired: [createTool({ name: "n".repeat(room) })],
      };
    }
    case "name-characters":
      return { failing: [createTool({ name: "read/file" })], repaired: [createTool({ name: "read_file" })] };
    case "description-length":
      return {
        failing: [createTool({ description: "d".repeat(rule.max + 1) })],
        repaired: [createTool({ description: "d".repeat(rule.max) })],
      };
    case "result-length":
      return {
        failing: [createTool({ longestResult: rule.max + 1 })],
        repaired: [createTool({ longestResult: rule.max })],
      };
    case "tool-count": {
      const tools = Array.from({ length: rule.max + 1 }, (_, index) => createTool({ name: `tool_${index}` }));
      return { failing: tools, repaired: tools.slice(1) };
    }
    case "root-keywords":
      return ofSchemas(
        object({ path: { type: "string" }, url: { type: "string" } }, { anyOf: [{ required: ["path"] }] }),
        object({ path: { type: "string", anyOf: [{ minLength: 1 }] }, url: { type: "string" } }),
      );
    case "property-names":
      return ofSchemas(object({ "$top of list": { type: "number" } }), object({ top: { type: "number" } }));
    case "keywords":
      return ofSchemas(
        object({ path: { type: "string", pattern: "^/", not: { const: "" } } }, { additionalProperties: false }),
        object({ path: { type: "string", description: "Begins with a slash." } }),
      );
    case "array-items":
      return ofSchemas(
        object({ paths: { type: "array" } }),
        object({ paths: { type: "array", items: { type: "string" } } }),
      );
    case "references":
      return ofSchemas(
        object({ owner: { $ref: "#/$defs/user" } }, { $defs: { user: { type: "string" } } }),
        object({ owner: { type: "string" } }),
      );
    case "skill-name-length":
      return ofSkills({ name: "n".repeat(rule.max + 1) }, { name: "n".repeat(rule.max) });
    case "skill-name-characters":
      return ofSkills({ name: "größe" }, { name: "size" });
    case "skill-description-length":
      return ofSkills({ description: "ü".repeat(rule.max + 1) }, { description: "ü".repeat(rule.max) });
    case "strict":
      return ofSchemas(
        object({ labels: { type: "object", additionalProperties: { type: "string" } } }),
        object({ label: { type: "string" } }),
      );
  }
}
