import { z } from "zod";
import { badRequest } from "./scim-error";

/** The form of an attribute; for one with parts, the kept parts. */
export type AttributeForm =
  | { kind: "text" }
  | { kind: "flag" }
  | { kind: "parts"; parts: Readonly<Record<string, "text" | "flag">> }
  | { kind: "list"; parts: Readonly<Record<string, "text" | "flag">> };

/** The attributes of a resource by their names; others that a provider sends are ignored. */
export type ResourceForm = Readonly<Record<string, AttributeForm>>;

export const USER_FORM: ResourceForm = {
  userName: { kind: "text" },
  externalId: { kind: "text" },
  displayName: { kind: "text" },
  active: { kind: "flag" },
  name: { kind: "parts", parts: { formatted: "text", givenName: "text", familyName: "text" } },
  emails: { kind: "list", parts: { value: "text", type: "text", primary: "flag" } },
};

export const GROUP_FORM: ResourceForm = {
  displayName: { kind: "text" },
  externalId: { kind: "text" },
  members: { kind: "list", parts: { value: "text" } },
};

export type Item = Readonly<Record<string, string | boolean>>;
type Value = string | boolean | Item | readonly Item[];
/** A resource with attributes of its form only. */
export type Attributes = Readonly<Record<string, Value>>;

const MAX_ITEMS = 20_000;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The name of an attribute as its form has it: names are the same in any case. Null for one that is not kept. */
export function findName(names: object, sent: string): string | null {
  const key = sent.toLowerCase();
  return Object.keys(names).find((name) => name.toLowerCase() === key) ?? null;
}

/** Entra sends `[{ "value": "x" }]` for a text, and `"False"` for a flag. */
export function readSimple(kind: "text" | "flag", sent: unknown, at: string): string | boolean {
  const [first] = Array.isArray(sent) ? sent : [];
  const value = isObject(first) && Object.hasOwn(first, "value") ? first.value : sent;
  if (kind === "flag") {
    if (typeof value === "boolean") return value;
    if (typeof value === "string" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
    throw badRequest("invalidValue", `${at} must be true or false`);
  }
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw badRequest("invalidValue", `${at} must be a text`);
}

export function readItem(parts: Readonly<Record<string, "text" | "flag">>, sent: unknown, at: string): Item {
  // Some providers send the values of a list without their objects.
  const value = typeof sent === "string" ? { value: sent } : sent;
  if (!isObject(value)) throw badRequest("invalidValue", `${at} must be an object`);
  const item: Record<string, string | boolean> = {};
  for (const [key, each] of Object.entries(value)) {
    const name = findName(parts, key);
    if (name === null || each === null || each === undefined) continue;
    item[name] = readSimple(parts[name] ?? "text", each, `${at}.${name}`);
  }
  return item;
}

export function readItems(parts: Readonly<Record<string, "text" | "flag">>, sent: unknown, at: string): Item[] {
  const list = Array.isArray(sent) ? sent : [sent];
  if (list.length > MAX_ITEMS) throw badRequest("tooMany", `${at} may have ${MAX_ITEMS} values`);
  return list.map((each) => readItem(parts, each, at));
}

/** The value of an attribute in its form. */
export function readValue(form: AttributeForm, sent: unknown, at: string): Value {
  if (form.kind === "parts") return readItem(form.parts, sent, at);
  return form.kind === "list" ? readItems(form.parts, sent, at) : readSimple(form.kind, sent, at);
}

/** Reads the attributes of a resource from the body of a request. */
export function readAttributes(form: ResourceForm, body: unknown): Attributes {
  if (!isObject(body)) throw badRequest("invalidSyntax", "The body must be a JSON object");
  const attributes: Record<string, Value> = {};
  for (const [key, value] of Object.entries(body)) {
    const name = findName(form, key);
    const kept = name === null ? undefined : form[name];
    if (name !== null && kept !== undefined && value !== null) attributes[name] = readValue(kept, value, name);
  }
  return attributes;
}

const text = z.string().trim().max(254);
const filled = text.min(1, "is required");

export const userAttributesSchema = z.object({
  userName: filled,
  externalId: text.optional(),
  displayName: text.optional(),
  active: z.boolean().default(true),
  name: z.object({ formatted: text.optional(), givenName: text.optional(), familyName: text.optional() }).optional(),
  emails: z
    .array(z.object({ value: filled, type: text.optional(), primary: z.boolean().optional() }))
    .max(20)
    .default([]),
});
export type UserAttributes = z.output<typeof userAttributesSchema>;

export const groupAttributesSchema = z.object({
  displayName: filled,
  externalId: text.optional(),
  members: z.array(z.object({ value: filled })).default([]),
});
export type GroupAttributes = z.output<typeof groupAttributesSchema>;

/** @throws ScimError that names the attribute */
export function checkAttributes<Output>(schema: z.ZodType<Output>, attributes: Attributes): Output {
  const parsed = schema.safeParse(attributes);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join(".") ?? "";
  const isMissing = issue?.code === "invalid_type" && issue.message.includes("undefined");
  throw badRequest("invalidValue", `${at} ${isMissing ? "is required" : (issue?.message ?? "is invalid")}`);
}

/** Stored attributes; those that cannot be read are those of the account. */
export function readStored(text: string, email: string): UserAttributes {
  try {
    return userAttributesSchema.parse(JSON.parse(text));
  } catch {
    return { userName: email, active: true, emails: [] };
  }
}

const addressSchema = z.email().max(254);

/** The address of a user, in lower case. @throws ScimError where there is none */
export function readAddress({ emails, userName }: UserAttributes): string {
  const primary = emails.find((each) => each.primary === true) ?? emails.find(({ type }) => type === "work");
  const sent = primary?.value ?? emails[0]?.value ?? userName;
  const parsed = addressSchema.safeParse(sent.toLowerCase());
  if (parsed.success) return parsed.data;
  throw badRequest("invalidValue", "emails: a user needs an e-mail address, there or as userName");
}

/** The name that the console shows. */
export function readName({ displayName, name, userName }: UserAttributes): string {
  const joined = [name?.givenName, name?.familyName].filter(Boolean).join(" ");
  return (displayName || name?.formatted || joined || userName).slice(0, 100);
}
