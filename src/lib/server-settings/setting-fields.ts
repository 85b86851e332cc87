import type { ServerAuth, ServerSettings, ServerSettingsInput } from "../contract/server";
import { type FieldType, type FieldValues, SERVER_KINDS, type ValueList } from "../contract/server-kind";

type FieldName<Type extends FieldType> = Type extends "values" ? ValueList : string;
type FieldFunctions<Results extends Record<FieldType, unknown>> = {
  [Type in FieldType]?: (value: FieldValues[Type], name: FieldName<Type>) => Results[Type];
};
type AnyFieldFunction = (value: unknown, name: string) => unknown;

/** Calls the function of each field's type. Skips absent fields and types without a function. */
function applyToFields(
  settings: ServerSettings | ServerSettingsInput,
  functions: FieldFunctions<Record<FieldType, unknown>>,
): [name: string, result: unknown][] {
  const values = new Map<string, unknown>(Object.entries(settings));
  return Object.entries(SERVER_KINDS[settings.transport].fields).flatMap(([name, type]) => {
    const value = values.get(name);
    const apply = functions[type] as AnyFieldFunction | undefined;
    return value === undefined || apply === undefined ? [] : [[name, apply(value, name)]];
  });
}

/** The settings with new values for the fields of the given types. */
export function mapFields(settings: ServerSettings, edits: FieldFunctions<FieldValues>): ServerSettings {
  return { ...settings, ...Object.fromEntries(applyToFields(settings, edits)) };
}

/** Collects the results of the functions for the fields of their types, in one list. */
export function readFields<Item>(
  settings: ServerSettings | ServerSettingsInput,
  readers: FieldFunctions<Record<FieldType, readonly Item[]>>,
): Item[] {
  return applyToFields(settings, readers).flatMap(([, items]) => items as readonly Item[]);
}

/** The fields of the kind alone, in the order of the table, with new values for the given types. */
export function pickFields(
  settings: ServerSettings,
  edits: FieldFunctions<Record<FieldType, unknown>>,
): Record<string, unknown> {
  const values = new Map([...Object.entries(settings), ...applyToFields(settings, edits)]);
  const names = Object.keys(SERVER_KINDS[settings.transport].fields);
  return Object.fromEntries(names.map((name) => [name, values.get(name)]).filter(([, value]) => value !== undefined));
}

const NO_AUTH: ServerAuth = { type: "none" };

/** The authentication; `none` where the kind has none. */
export function getAuth(settings: { transport: string; auth?: ServerAuth }): ServerAuth {
  return settings.auth ?? NO_AUTH;
}

/** The command line or the address, for lists. */
export function describeTarget(settings: ServerSettings): string {
  if ("url" in settings) return settings.url;
  return [settings.command, ...settings.args]
    .map((part) => (/[\s"'\\]/.test(part) ? JSON.stringify(part) : part))
    .join(" ");
}
