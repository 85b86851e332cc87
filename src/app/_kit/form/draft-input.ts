import type { Problem } from "@/lib/contract/problem";
import type { DraftFields } from "../merge-drafts";
import type { DraftOf, FieldSpec, FormTable, Values } from "./fields";

type Specs = Readonly<Record<string, FieldSpec<unknown>>>;

/** The draft of a stored or pasted input; without one an empty draft. */
export function readInput<Input, Fields extends Specs>(
  { fields }: FormTable<Input, Fields>,
  input: Input | object = {},
): DraftOf<Fields> {
  const values = Object.entries(fields).map(([path, spec]) => {
    const stored = valueAt(input, path);
    return [path, stored === undefined ? spec.empty : spec.read(stored)];
  });
  return Object.fromEntries(values) as DraftOf<Fields>;
}

function valueAt(input: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      input,
    );
}

/** Returns the input that the draft describes, with the fields that belong to it. The server checks it, so it need not be valid. */
export function writeInput<Input, Fields extends Specs>(
  table: FormTable<Input, Fields>,
  draft: DraftOf<Fields>,
): Input {
  const input: Record<string, unknown> = {};
  for (const [path, spec] of shownFields(table, draft)) {
    const value = spec.write((draft as Values)[path], draft as Values);
    if (value !== undefined) setAt(input, path.split("."), value);
  }
  return input as Input;
}

function setAt(target: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key] = value;
  else {
    target[key] ??= {};
    setAt(target[key] as Record<string, unknown>, rest, value);
  }
}

function shownFields<Input, Fields extends Specs>(
  { fields, isShown }: FormTable<Input, Fields>,
  draft: DraftOf<Fields>,
) {
  return Object.entries(fields).filter(([path]) => isShown(path, draft as Values));
}

/** Lists the problems that the form itself finds; the server checks the rest. */
export function checkDraft<Input, Fields extends Specs>(
  table: FormTable<Input, Fields>,
  draft: DraftOf<Fields>,
): Problem[] {
  const values = draft as Values;
  return shownFields(table, draft).flatMap(([path, spec]) =>
    (spec.check?.(values[path], values) ?? []).map((problem) =>
      typeof problem === "string"
        ? { path, message: problem }
        : { path: `${path}.${problem.path}`, message: problem.message },
    ),
  );
}

/** The functions of a draft for `useDraft`: the part that is saved, and the part that a tab may keep. */
export function draftOptions<Input, Fields extends Specs>(table: FormTable<Input, Fields>) {
  return {
    toSaved: (draft: DraftOf<Fields>): unknown => writeInput(table, draft),
    toKept: <Draft extends DraftOf<Fields>>(draft: Draft): Draft => ({
      ...draft,
      ...mapFields(table.fields, draft as Values, (spec, value) => spec.toKept?.(value) ?? value),
    }),
  };
}

/** The fields by which two edits are compared and merged. */
export function toDraftFields(fields: Specs): DraftFields<Values> {
  return {
    labels: Object.fromEntries(Object.entries(fields).map(([path, { label }]) => [path, label])),
    read: (draft) =>
      mapFields(fields, draft, (spec, value) =>
        typeof value === "object" ? (spec.write(value, draft) ?? null) : value,
      ),
    take: (draft, path, from) => ({ ...draft, [path]: from[path] }),
  };
}

function mapFields(fields: Specs, draft: Values, map: (spec: FieldSpec<unknown>, value: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(fields).map(([path, spec]) => [path, map(spec, draft[path])]));
}
