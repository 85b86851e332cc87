import { secretForms } from "../../../lib/secret-matcher";

const MASK = "[masked]";

/** The text without the candidate's secrets, in each form that they may have. */
export function maskText(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap(secretForms).sort((one, other) => other.length - one.length);
  return forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** A server may repeat its environment in a description or a default. */
export function maskEntries(entries: readonly unknown[], secrets: readonly string[]): readonly unknown[] {
  const mask = (value: unknown): unknown => {
    if (typeof value === "string") return maskText(value, secrets);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskText(key, secrets), mask(inner)]));
  };
  return secrets.length === 0 ? entries : entries.map(mask);
}
