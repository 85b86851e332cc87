import type { ChangeSide, RuleSetting, RuleSettings, Severity } from "./change-verdict";
import type { ChangeWeight } from "./change-weight";

interface ChangeRule {
  setting: RuleSetting;
  /** The change that the rule recognizes, as a sentence without its subject. */
  says: string;
}

const error = (says: string): ChangeRule => ({ setting: "error", says });
const warning = (says: string): ChangeRule => ({ setting: "warning", says });
const info = (says: string): ChangeRule => ({ setting: "info", says });

/** The rules that recognize breaking changes of a schema, by their effect on arguments and results. */
const SUBJECTS = {
  required: ["A parameter is now required", "An output field may now be omitted"],
  "property-removed": ["A parameter is gone", "An output field is gone"],
  "property-renamed": ["A parameter has another name", "An output field has another name"],
  "property-added": [
    "A parameter takes less than undescribed names did",
    "An output field is new where no new one was possible",
  ],
  undescribed: ["Undescribed parameters are refused", "Undescribed output fields are possible"],
  type: ["A type is no longer taken", "A type is now returned"],
  values: ["A value is no longer taken", "A value is now returned"],
  limit: ["A limit of size or number is tighter", "A limit of size or number is wider"],
  pattern: ["A pattern or format may refuse more", "A pattern or format may let more pass"],
  condition: ["A condition may refuse more", "A condition may let more pass"],
  alternatives: ["Alternatives may refuse more", "Alternatives may let more pass"],
  possible: ["A part can no longer have a value", "A part can now have a value"],
  schema: ["Arguments are checked now", "Structured output is no longer promised"],
  unproven: [
    "It is not proven that every call stays valid",
    "It is not proven that every result fits the former schema",
  ],
} as const;
export type ChangeSubject = keyof typeof SUBJECTS;

export const CHANGE_RULES: Readonly<Record<string, ChangeRule>> = {
  ...Object.fromEntries(
    Object.entries(SUBJECTS).flatMap(([subject, [input, output]]) => [
      [`input.${subject}`, error(input)],
      [`output.${subject}`, error(output)],
    ]),
  ),
  "input.convention": info("An optional parameter is new, and calls that sent this name before may be refused"),
  "input.compatible": info("Arguments are accepted as before, or more of them"),
  "output.compatible": info("Results fit the former schema"),
  "input.default": warning("The default of a parameter changed"),
  "output.default": info("The default of an output field changed"),
  "input.words": info("Titles, descriptions or examples of parameters changed"),
  "output.words": info("Titles, descriptions or examples of output fields changed"),
  "tool.added": info("The tool is new"),
  "tool.removed": error("The tool is gone"),
  "tool.title": info("The title changed"),
  "tool.description": info("The description changed"),
  "tool.read-only": error("The tool is no longer marked read-only"),
  "tool.destructive": error("The tool is no longer marked non-destructive"),
  "tool.approval": error("The tool is no longer marked destructive, so its calls may need no approval"),
  "tool.hint": info("Another hint of the tool changed"),
  "tool.task": info("The tool runs as a task, or no longer"),
  "tool.request": error("The HTTP request behind the tool changed"),
  "tool.unjudged": error("The change could not be checked"),
  "tool.other": info("Another part of the entry changed"),
};

export function toRuleId(side: Exclude<ChangeSide, "tool">, subject: ChangeSubject, weight: ChangeWeight): string {
  return `${side}.${weight === "breaking" ? subject : weight === "additive" ? "compatible" : "words"}`;
}

/** Null for a rule that is off. */
export function getSeverity(rule: string, settings: RuleSettings): Severity | null {
  const known = Object.hasOwn(CHANGE_RULES, rule) ? CHANGE_RULES[rule]?.setting : undefined;
  const setting = (Object.hasOwn(settings, rule) ? settings[rule] : undefined) ?? known ?? "error";
  return setting === "off" ? null : setting;
}
