/** A color of the terminal. */
export type CellColor = "red" | "green" | "yellow" | "gray" | "bold";
export type CellInput = string | { text: string; color?: CellColor | undefined };

type Item<Result> = Result extends readonly (infer Each)[]
  ? Each
  : Result extends { items: readonly (infer Each)[] }
    ? Each
    : never;

/** A part of what a command prints, as data: the command line formats it for a terminal or a pipe. */
export type CommandPart =
  | { facts: readonly (readonly [label: string, value: CellInput | null])[] }
  | { head: readonly string[]; rows: readonly (readonly CellInput[])[] }
  | { lines: readonly string[] }
  /** Lines on stderr. */
  | { notes: readonly string[] }
  /** JSON text, formatted with all digits of its numbers; other text stays unchanged. */
  | { json: string };

type Columns<Row> = Readonly<Record<string, (row: Row) => CellInput>>;

/** The command of an operation. It asks the REST API. */
export interface CommandDeclaration<Result> {
  /** The name behind the noun and its arguments, which are fields of the input: `redeliver <id>`. */
  words: string;
  /** The field of an argument whose name differs. */
  fields?: Readonly<Record<string, string>>;
  /** The field that gets the content of the argument `file`, or of stdin for `-`. */
  file?: string;
  /** Default: the operation's own. */
  summary?: string;
  details?: string;
  /** Two or more command lines, each with its effect. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Options by the field that they set. A field that is a list may be repeated. */
  options?: Readonly<Record<string, readonly [flags: string, text: string]>>;
  /** Finds the thing by id or name in this list of the API; its id stands in the path. */
  find?: { list: string; kind: string };
  /** A list as a table, and the line for an empty one. */
  table?: {
    columns: Columns<Item<Result>>;
    /** Printed for a list without items. */
    empty: string | ((name: string) => string);
    /** Lines below the table. */
    below?: (row: Item<Result>) => readonly string[];
    /** The command reads all pages in any case, since the list is short. */
    whole?: true;
  };
  /** Instead of a table, an answer of several parts. @param text the answer as it was sent, where numbers keep their digits */
  print?: (result: Result, text: string) => readonly CommandPart[];
  /** One line on stdout. @param name the argument, or the name of what was found @param url of the Toolroom that was asked */
  say?: (result: Result, name: string, url: string) => string;
  /** A line before it on stderr. */
  note?: (result: Result) => string;
  /** Why the command exits with 1 although it was done; null where it does not. Empty: what was printed says it. */
  fail?: (result: Result, name: string) => string | null;
  /** The failure that `fail` names is a refusal, which exits with 4. */
  failsAs?: "refused";
}

/** The help of a noun's commands. */
export interface CommandGroup {
  /** Default: the noun. */
  name?: string;
  summary: string;
  description?: string;
  examples: readonly string[];
}

/** Commands that join the group of another noun, or with an empty name the program itself. */
export interface JoinedCommands {
  under: string;
}
