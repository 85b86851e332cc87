import { isPlainObject } from "../../../../lib/contract/json";
import type { Entry } from "./normalize-entry";

/** Environment variables or headers. Optional ones without a value are left out; notes say what a person has to fill in. */
export function fillPairs(notes: string[], field: "env" | "headers", list: unknown): Record<string, string> {
  const inputs = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return Object.fromEntries(
    inputs.flatMap((input): [string, string][] => {
      if (typeof input.name !== "string" || input.name === "") return [];
      const value = fillInput(notes, `${field}.${input.name}`, input, input.name);
      return value === null ? [] : [[input.name, value]];
    }),
  );
}

/** Positional and named arguments, in their order. */
export function fillArguments(notes: string[], field: string, list: unknown): string[] {
  const inputs = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return inputs.flatMap((input, index): string[] => {
    const name = typeof input.name === "string" ? input.name : "";
    const hint = input.valueHint ?? input.value_hint;
    const label = typeof hint === "string" && hint !== "" ? hint : name === "" ? `argument_${index + 1}` : name;
    if (input.type !== "named") {
      const value = fillInput(notes, `${field}.${label}`, input, label);
      return value === null ? [] : [value];
    }
    if (isFlag(input)) return [name];
    const value = fillInput(notes, `${field}.${label}`, input, label);
    return value === null ? [] : [name, value];
  });
}

/** `--verbose`, which takes no value. */
function isFlag(input: Entry): boolean {
  const keys = ["value", "default", "valueHint", "value_hint", "variables", "format", "isRequired", "is_required"];
  return keys.every((key) => input[key] === undefined);
}

function fillInput(notes: string[], field: string, input: Entry, name: string): string | null {
  const given = input.value ?? input.default;
  if (typeof given === "string" || typeof given === "number" || typeof given === "boolean") {
    return fillText(notes, field, String(given), input.variables);
  }
  if (input.isRequired !== true && input.is_required !== true) {
    notes.push(`${field}: is optional and was left out${formatDescription(input)}`);
    return null;
  }
  return addPlaceholder(notes, field, name, input);
}

/** Replaces `{name}` by what `variables` says of it. */
export function fillText(notes: string[], field: string, text: string, variables: unknown): string {
  if (!isPlainObject(variables)) return text;
  return text.replace(/(?<!\$)\{([\w.-]+)\}/g, (whole, name: string) => {
    const input = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (!isPlainObject(input)) return whole;
    const given = input.value ?? input.default;
    return typeof given === "string" ? given : addPlaceholder(notes, field, name, input);
  });
}

/** A reference to an environment variable, for the person to set. */
function addPlaceholder(notes: string[], field: string, name: string, input: Entry): string {
  const variable = name.replace(/^-+/, "").replace(/\W+/g, "_").toUpperCase() || "VALUE";
  const reference = `\${${/^\d/.test(variable) ? `_${variable}` : variable}}`;
  notes.push(
    `${field}: needs a value${formatDescription(input)}; set ${reference} for Toolroom, or type the value in the form`,
  );
  return reference;
}

function formatDescription({ description }: Entry): string {
  return typeof description === "string" && description !== "" ? ` (${description.slice(0, 200)})` : "";
}
