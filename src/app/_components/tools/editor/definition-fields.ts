import { useState } from "react";
import { type FieldSpec, type FieldsState, lines, number, splitLines, text, type Values } from "@/app/_kit/form/fields";
import { findField } from "@/app/_kit/problems";
import type { HandlerCatalog } from "@/lib/contract/catalog-tool";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import { PROVIDER_NAME_RULE } from "@/lib/name-rule";
import { valueAt } from "./definition-text";
import type { DefinitionDraft } from "./use-definition-draft";

/** The props of every field of the form. */
export interface FieldProps {
  draft: DefinitionDraft;
  /** The current definition, parsed. */
  value: Record<string, unknown>;
  problems: readonly Problem[];
}

export interface DefinitionFormProps extends FieldProps {
  handlers: HandlerCatalog;
  /** A user has tried to save; before that no problem is shown. */
  attempted: boolean;
}

/** Returns the text of a value; a value of another type is shown as JSON until it is overwritten. */
export function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const asList = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : []);
const asTyped = { read: asText, write: (typed: string) => (typed === "" ? undefined : typed) };
const needed = { required: true, read: asText, write: (typed: string) => typed };
const maskedPaths = {
  mono: true,
  rows: 2,
  read: (stored: unknown) => asList(stored).join("\n"),
  hint: "One path per line; * matches any member or item.",
};
/** A text that is no number is kept as it is, so that the check can say so. */
const asNumber = (typed: string): string | number => (/^\d+(?:\.\d+)?$/.test(typed.trim()) ? Number(typed) : typed);

/** Formats a delay: `200`, `100-500`. */
function formatDelay(stored: unknown): string {
  if (typeof stored !== "object" || stored === null) return asText(stored);
  const { min, max } = stored as { min?: unknown; max?: unknown };
  return `${asText(min)}-${asText(max)}`;
}

function readDelay(typed: string): unknown {
  const [, min, max] = /^\s*(\d+(?:\.\d+)?)\s*[-–]\s*(\d+(?:\.\d+)?)\s*$/.exec(typed) ?? [];
  if (min !== undefined) return { min: Number(min), max: Number(max) };
  return typed.trim() === "" ? undefined : asNumber(typed);
}

const splitTags = (typed: string): string[] => splitLines(typed.replaceAll(",", "\n"));

/** The fields of the form that are texts of the definition. */
const TEXTS: Readonly<Record<string, FieldSpec<string>>> = {
  name: text("Name", {
    ...needed,
    mono: true,
    hint: `Up to 128 letters, digits, '_', '-' and '.'. ${PROVIDER_NAME_RULE}`,
  }),
  description: text("Description", {
    ...needed,
    rows: 3,
    hint: "When to use this tool, what it does and what it returns.",
  }),
  "sensitive.arguments": lines("Masked arguments", { ...maskedPaths, placeholder: "/password" }),
  "sensitive.results": lines("Masked results", { ...maskedPaths, placeholder: "/users/*/token" }),
  tags: text("Tags", {
    hint: "Comma-separated.",
    read: (stored) => asList(stored).join(", "),
    write: (typed) => (splitTags(typed).length === 0 ? undefined : splitTags(typed)),
  }),
  "implementation.mock_delay_ms": text("Delay", {
    placeholder: "200 or 100-500",
    read: formatDelay,
    write: readDelay,
    hint: "Milliseconds, or a range. Leave empty for none.",
  }),
  "implementation.mock_error_rate": text("Error rate", {
    placeholder: "0.1",
    read: asText,
    write: (typed: string) => (typed.trim() === "" ? undefined : asNumber(typed)),
    hint: "The share of calls that fail, from 0 to 1.",
  }),
  timeout_ms: number("Timeout", { mono: false, read: asText, hint: "Milliseconds. Leave empty for the default." }),
  title: text("Title", { ...asTyped, hint: "Display name (optional). Models see the name." }),
  handler: text("Label", {
    ...needed,
    mono: true,
    hint: "Informational. The implementation determines what runs.",
  }),
};

/** Parts of the form, by the key of the definition that they edit. */
const PATHS = [
  "implementation.mock_responses",
  "implementation.mock_response",
  "implementation.handler",
  "implementation",
  "parameters",
  "annotations",
  "sensitive",
  ...Object.keys(TEXTS),
];

/** Returns whether the form has a field that shows the problem. */
export const hasField = ({ path }: Problem): boolean => findField(path, PATHS) !== "";

export function findProblems(problems: readonly Problem[], field: string): string[] {
  return problems.filter(({ path }) => findField(path, PATHS) === field).map((problem) => describeProblem(problem));
}

/** The texts of the definition as fields, each of which changes its own place in the JSON. */
export function useDefinitionTexts({
  draft,
  value,
  problems,
}: FieldProps): FieldsState<Readonly<Record<string, string>>> {
  // The typed text may have spaces and separators that the definition does not; it is shown as long as it means the same.
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  function readText(path: string, spec: FieldSpec<string>): string {
    const stored = valueAt(value, path.split("."));
    const own = typed[path];
    const isSame = own !== undefined && JSON.stringify(spec.write(own, value)) === JSON.stringify(stored);
    return isSame ? own : stored === undefined ? spec.empty : spec.read(stored);
  }
  function change(part: Values) {
    for (const [path, next] of Object.entries(part)) {
      const written = TEXTS[path]?.write(String(next), value);
      setTyped((before) => ({ ...before, [path]: String(next) }));
      draft.set(written === undefined ? toEmptied(value, path) : path.split("."), written);
    }
  }
  return {
    fields: TEXTS as Readonly<Record<string, FieldSpec<unknown>>>,
    draft: Object.fromEntries(Object.entries(TEXTS).map(([path, spec]) => [path, readText(path, spec)])),
    change,
    isShown: () => true,
    findProblems: (path) => [
      ...findProblems(problems, path),
      ...(path === "sensitive.arguments" ? findProblems(problems, "sensitive") : []),
    ],
    revealed: null,
    reveal: () => undefined,
  };
}

/** Removes the last value of a path from the definition, and its holder too, where that holds nothing else. */
function toEmptied(value: unknown, path: string): string[] {
  const keys = path.split(".");
  const holder = valueAt(value, keys.slice(0, -1));
  const isLast = keys.length > 1 && Object.keys(holder ?? {}).every((key) => key === keys.at(-1));
  return isLast ? keys.slice(0, -1) : keys;
}
