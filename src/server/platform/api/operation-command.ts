/** A color of the terminal. */
export type CellColor = "red" | "green" | "yellow" | "gray" | "bold";
export type CellInput = string | { text: string; color?: CellColor | undefined };

type Item<Result> = Result extends readonly (infer Each)[]
  ? Each
  : Result extends { items: readonly (infer Each)[] }
    ? Each
    : never;

type Columns<Row> = Readonly<Record<string, (row: Row) => CellInput>>;

/** The command of an operation. It asks the REST API. */
export interface CommandDeclaration<Result> {
  /** The name behind the noun and its arguments, which are fields of the input: `redeliver <id>`. */
  words: string;
  /** Default: the operation's own. */
  summary?: string;
  details?: string;
  /** Two or more command lines, each with what it does. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Options by the field that they set. A field that is a list may be repeated. */
  options?: Readonly<Record<string, readonly [flags: string, text: string]>>;
  /** Finds the thing by id or name in this list of the API; its id stands in the path. */
  find?: { list: string; kind: string };
  /** A list as a table, and the line for an empty one. */
  table?: {
    columns: Columns<Item<Result>>;
    empty: string /** Lines below the table. */;
    below?: (row: Item<Result>) => readonly string[];
  };
  /** One line on stdout. @param name the argument, or the name of what was found */
  say?: (result: Result, name: string) => string;
  /** A line before it on stderr. */
  note?: (result: Result) => string;
  /** Why the command exits with 1 although it was done; null where it does not. */
  fail?: (result: Result) => string | null;
}

/** The help of a noun's commands. */
export interface CommandGroup {
  summary: string;
  description?: string;
  examples: readonly string[];
}
