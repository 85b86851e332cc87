import type { ClipboardEventHandler, ReactNode } from "react";
import type { Problem } from "@/lib/contract/problem";
import { isFilled, keepWithoutSecret, NO_SECRET, readSecret, type Secret, writeSecret } from "./secret";

type Leaf = string | number | boolean | null | undefined | readonly unknown[];
/** Paths of what an input holds, such as `auth.clientId`. A list, or an object with any keys, is one field. */
export type PathOf<Input> = Input extends Leaf
  ? never
  : {
      [Key in keyof Input & string]-?: [Exclude<Input[Key], Leaf>] extends [never]
        ? Key
        : string extends keyof Exclude<Input[Key], Leaf>
          ? Key
          : `${Key}.${PathOf<Exclude<Input[Key], Leaf>>}`;
    }[keyof Input & string];

/** Draft values by path. */
export type Values = Readonly<Record<string, unknown>>;

export interface Choice {
  value: string;
  label: string;
  /** Text below the choice while this option is chosen. */
  about?: string | undefined;
  /** Code beside the label, given as data. */
  code?: string;
}

export interface FieldLook {
  hint?: ReactNode;
  required?: boolean;
  mono?: boolean;
  placeholder?: string;
  maxLength?: number;
  inputMode?: "decimal" | "numeric" | "url" | "email";
  type?: "email" | "password";
  /** The `autocomplete` attribute, which password managers read. */
  autoComplete?: string;
  /** The field is narrow, for a few characters. */
  short?: boolean;
  /** Texts that the browser proposes while the user types. */
  proposals?: readonly string[];
  /** The number of lines of a text field. */
  rows?: number;
  /** The key shown as data where it is not the path. */
  dataKey?: string;
}

/** The words for a list of rows: `variable`, `Add variable`. */
interface RowWords {
  one: string;
  add: string;
  /** An example of a name. */
  name: string;
}

/** One row of a form's table: what the draft holds of one path of the input, and how the path is edited. */
export interface FieldSpec<Value> extends FieldLook {
  control: "text" | "lines" | "choice" | "select" | "choices" | "flag" | "secret" | "secrets" | "custom";
  label: string;
  /** The value while nothing is entered. */
  empty: Value;
  read(stored: unknown): Value;
  /** Returns the value to send; undefined is left out. Text that cannot be read is sent as typed: the server reports the problem. */
  write(value: Value, draft: Values): unknown;
  /** Returns whether the input has this field, checked by the other fields; always when absent. */
  when?(draft: Values): boolean;
  /** Why it cannot be sent, where the form knows. A problem of a part names its path below the field. */
  check?(value: Value, draft: Values): readonly (string | Problem)[];
  /** The value without its secrets, as a tab may keep it. */
  toKept?(value: Value): Value;
  options?: readonly Choice[];
  words?: RowWords;
  /** The control of a `custom` field in a list of fields. */
  render?(props: ControlProps<Value>): ReactNode;
}

/** The state and callbacks that every part of a form receives. */
export interface FieldsState<Draft> {
  fields: Readonly<Record<string, FieldSpec<unknown>>>;
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** Whether the field is part of the input that is sent. */
  isShown(path: string): boolean;
  /** Returns the problems of a field, once they are to be shown: `url`, `env[0].name`. */
  findProblems(path: string): readonly string[];
  /** The one secret that is shown in plain text. */
  revealed: string | null;
  reveal(path: string | null): void;
}

type Look = Pick<FieldSpec<unknown>, keyof FieldLook | "label" | "control" | "options" | "words"> & {
  readOnly?: boolean;
  onPaste?: ClipboardEventHandler<HTMLInputElement>;
};

export interface ControlProps<Value> {
  form: Pick<FieldsState<unknown>, "findProblems" | "revealed" | "reveal">;
  at: string;
  look: Look;
  value: Value;
  // A method, so that a table can hold fields of any value.
  onChange(value: Value): void;
}

type Specs = Readonly<Record<string, FieldSpec<unknown>>>;
export type DraftOf<Fields> = {
  [Path in keyof Fields]: Fields[Path] extends { empty: infer Value } ? Value : never;
};

/** A form as a table: one row for each path of the input. */
export interface FormTable<Input, Fields extends Specs = Specs> {
  fields: Fields;
  isShown(path: string, draft: Values): boolean;
  /** Names the input's type, which the table does not hold. */
  input?: Input;
}

/** Declares a form. A path of the input without a field does not compile; `hidden` carries a value that is not edited. */
export function defineForm<Input>() {
  return <Fields extends Readonly<Record<PathOf<Input>, FieldSpec<unknown>>>>(
    fields: Fields & Record<Exclude<keyof Fields, PathOf<Input>>, never>,
    isShown: (path: PathOf<Input>, draft: DraftOf<Fields>) => boolean = () => true,
  ): FormTable<Input, Fields> => ({
    fields,
    isShown: (path, draft) =>
      isShown(path as PathOf<Input>, draft as DraftOf<Fields>) && ((fields as Specs)[path]?.when?.(draft) ?? true),
  });
}

type TextOptions = FieldLook & Partial<Pick<FieldSpec<string>, "toKept" | "read" | "write" | "when" | "check">>;

export const text = (label: string, options: TextOptions = {}): FieldSpec<string> => ({
  control: "text",
  label,
  empty: "",
  read: (stored) => (stored === null ? "" : String(stored)),
  write: (typed) => typed.trim() || (options.required === true ? "" : undefined),
  ...options,
});

export const number = (label: string, options: TextOptions = {}): FieldSpec<string> =>
  text(label, {
    inputMode: "numeric",
    mono: true,
    write: (typed) => (/^\s*\d{1,15}\s*$/.test(typed) ? Number(typed) : typed.trim() || undefined),
    ...options,
  });

/** The lines of a text that are not empty. */
export const splitLines = (typed: string): string[] =>
  typed.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.trim()));

/** One item per line. A required list is sent empty, too. */
export const lines = (label: string, options: TextOptions = {}): FieldSpec<string> => ({
  control: "lines",
  label,
  empty: "",
  rows: 2,
  read: (stored) => (stored as string[]).join("\n"),
  write: (typed) => (splitLines(typed).length > 0 || options.required === true ? splitLines(typed) : undefined),
  ...options,
});

/** Names in one line, separated by commas. */
export const names = (label: string, options: TextOptions = {}): FieldSpec<string> =>
  text(label, {
    mono: true,
    read: (stored) => (stored as string[]).join(", "),
    write: (typed) => typed.split(/[\s,]+/).filter(Boolean),
    ...options,
  });

interface ChoiceOptions<Value extends string>
  extends FieldLook,
    Partial<Pick<FieldSpec<Value>, "when" | "read" | "write" | "check">> {
  /** Text below the choice, by the chosen option. */
  about?: Readonly<Record<Value, string>>;
  /** The value of a new draft is not sent. */
  optional?: boolean;
}

/** Labels by value, in this order; or options that are known only now. */
type Labels<Value extends string> = Readonly<Record<Value, string>> | readonly Choice[];

/** One of a few, all visible. @param empty the value of a new draft */
export const choice = <Value extends string>(
  label: string,
  empty: NoInfer<Value>,
  labels: Labels<Value>,
  { about, optional = false, ...more }: ChoiceOptions<Value> = {},
): FieldSpec<Value> => ({
  control: "choice",
  label,
  empty,
  options:
    Symbol.iterator in labels
      ? labels
      : Object.entries<string>(labels).map(([value, words]) => ({
          value,
          label: words,
          about: about?.[value as Value],
        })),
  read: (stored) => stored as Value,
  write: (value) => (optional && value === empty ? undefined : value),
  ...more,
});

/** One of many, in a list that opens. */
export const select = <Value extends string>(...parts: Parameters<typeof choice<Value>>): FieldSpec<Value> => ({
  ...choice(...parts),
  control: "select",
});

/** One of the values that are known now, or none, which is sent as null. @param none the option for none */
export const optional = (
  label: string,
  none: string,
  options: readonly Choice[],
  more: ChoiceOptions<string> = {},
): FieldSpec<string> =>
  select<string>(label, "", [{ value: "", label: none }, ...options], {
    read: (stored) => String(stored ?? ""),
    write: (value) => value || null,
    ...more,
  });

/** Any of a few, all visible. @param empty the value of a new draft */
export const choices = <Value extends string>(
  label: string,
  empty: readonly Value[],
  options: readonly (Choice & { value: Value })[],
  more: FieldLook & Partial<Pick<FieldSpec<readonly Value[]>, "when" | "check">> = {},
): FieldSpec<readonly Value[]> => ({
  control: "choices",
  label,
  empty,
  options,
  read: (stored) => stored as Value[],
  write: (values) => values,
  ...more,
});

interface FlagOptions extends FieldLook, Pick<FieldSpec<boolean>, "when"> {
  empty?: boolean;
  /** The value to send where it differs from that of a new draft. */
  sends?: unknown;
}

export const flag = (
  label: string,
  { empty = false, sends = !empty, ...more }: FlagOptions = {},
): FieldSpec<boolean> => ({
  control: "flag",
  label,
  empty,
  read: (stored) => (stored === sends) !== empty,
  write: (checked) => (checked === empty ? undefined : sends),
  ...more,
});

/** A value that the server keeps: null in what it returns, and in what is sent to keep it. */
export const secret = (
  label: string,
  options: FieldLook &
    Partial<Pick<FieldSpec<Secret>, "when" | "write" | "control" | "toKept" | "check" | "read">> = {},
): FieldSpec<Secret> => ({
  control: "secret",
  label,
  empty: NO_SECRET,
  read: (stored) => readSecret({ name: "", value: stored as string | null }),
  write: (value) => writeSecret(value),
  toKept: keepWithoutSecret,
  ...options,
});

/** A list of rows. @param isSent whether a row is sent: an empty one may be left out */
export const rows = <Row>(
  label: string,
  isSent: (row: Row) => boolean,
  toSent: (row: Row, draft: Values) => unknown,
  options: FieldLook & Partial<Pick<FieldSpec<readonly Row[]>, "when" | "toKept" | "read" | "check">> = {},
): FieldSpec<readonly Row[]> => ({
  control: "custom",
  label,
  empty: [],
  read: (stored) => stored as Row[],
  write: (list, draft) => list.filter(isSent).map((row) => toSent(row, draft)),
  ...options,
});

/** A field with a separate control. */
export const custom = <Value>(
  label: string,
  empty: Value,
  options: FieldLook & Partial<Omit<FieldSpec<Value>, "label" | "empty">> = {},
): FieldSpec<Value> => ({
  control: "custom",
  label,
  empty,
  read: (stored) => stored as Value,
  write: (value) => value,
  ...options,
});

/** Names with values that may be secret. Empty rows are not sent. */
export const secrets = (label: string, words: RowWords, hint: string): FieldSpec<readonly Secret[]> => ({
  ...rows<Secret>(label, isFilled, (row) => ({ name: row.name.trim(), value: writeSecret(row) }), {
    hint,
    read: (stored) => (stored as Secret[]).map(readSecret),
    toKept: (list) => list.map(keepWithoutSecret),
  }),
  control: "secrets",
  words,
});
