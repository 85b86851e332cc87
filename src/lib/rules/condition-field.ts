/** A step into a value: a member by its name, or an item by its position from 0. */
export type FieldSegment = string | number;

/** A value that a condition reads: `count(60)` and `time.getHours()` are roots without segments. */
export interface FieldPath {
  root: string;
  segments: readonly FieldSegment[];
}

/** The variables of a condition that have members. */
export const CONDITION_ROOTS = ["args", "tool", "caller", "client", "result"] as const;

/** Fields that every call has. Without a zone the time is UTC. */
export const CALL_FIELDS = [
  "caller.name",
  "caller.role",
  "caller.source",
  "client.name",
  "tool.name",
  "tool.server",
  "tool.toolset",
  "tool.tags",
  "time.getHours()",
  "time.getDayOfWeek()",
  "count(60)",
] as const;

/** The computed values, a number each; a part of the time may name its zone. */
const COMPUTED =
  /^(?:count\((?:0|[1-9]\d{0,8})\)|time\.get(?:FullYear|Month|Date|DayOfWeek|Hours|Minutes)\((?:"[\w+\-/]{1,60}")?\))$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words of CEL that cannot follow a dot. */
const RESERVED = new Set(
  "as break const continue else false for function if import in let loop namespace null package return true var void while".split(
    " ",
  ),
);

const isPlainName = (name: string): boolean => IDENTIFIER.test(name) && !RESERVED.has(name);

/** `args.items[0]["odd key"]`: the CEL text of a path. */
export function writeField({ root, segments }: FieldPath): string {
  return root + segments.map(writeSegment).join("");
}

function writeSegment(segment: FieldSegment): string {
  if (typeof segment === "number") return `[${segment}]`;
  return isPlainName(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}

/** Whether the last segment is read with a dot, as `has()` demands. */
export function endsWithName({ segments }: FieldPath): boolean {
  const last = segments.at(-1);
  return typeof last === "string" && isPlainName(last);
}

const SEGMENT =
  /\.([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9]\d{0,8})\]|\[("(?:[^"\\\n\r]|\\(?:["\\bfnrt]|u[0-9a-fA-F]{4}))*")\]/y;

/** Reads the text of a field as a user types it; null where it is not a field. */
export function readField(text: string): FieldPath | null {
  const typed = text.trim();
  if (COMPUTED.test(typed)) return { root: typed, segments: [] };
  const root = CONDITION_ROOTS.find(
    (name) => typed === name || typed.startsWith(`${name}.`) || typed.startsWith(`${name}[`),
  );
  if (root === undefined) return null;
  const segments: FieldSegment[] = [];
  SEGMENT.lastIndex = root.length;
  while (SEGMENT.lastIndex < typed.length) {
    const [, name, index, quoted] = SEGMENT.exec(typed) ?? [];
    if (name !== undefined) segments.push(name);
    else if (index !== undefined) segments.push(Number(index));
    else if (quoted !== undefined) segments.push(JSON.parse(quoted) as string);
    else return null;
  }
  return { root, segments };
}

export const isComputed = ({ root }: FieldPath): boolean => root.endsWith(")");

/** `amount` for `args.amount`: a field as a sentence names it. */
export function describeField(field: string): string {
  return field.startsWith("args.") ? field.slice("args.".length) : field;
}
