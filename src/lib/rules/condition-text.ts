import { CONDITION_ROOTS, type FieldPath, type FieldSegment, readField, writeField } from "./condition-field";
import {
  type ConditionForm,
  type ConditionOperator,
  type ConditionRow,
  EMPTY_CONDITION,
  findRowProblem,
  type Literal,
} from "./condition-form";

const COMPARISONS = {
  "==": "equals",
  "!=": "differs",
  ">": "above",
  ">=": "at_least",
  "<": "below",
  "<=": "at_most",
} as const satisfies Record<string, ConditionOperator>;

const METHODS = {
  contains: "contains",
  startsWith: "starts_with",
  matches: "matches",
} as const satisfies Record<string, ConditionOperator>;

const SYMBOLS = new Map<ConditionOperator, string>(
  [...Object.entries(COMPARISONS), ...Object.entries(METHODS)].map(([symbol, operator]) => [operator, symbol]),
);

/** The CEL text of a form. Rows that are not complete are left out: `findRowProblem` names them. */
export function writeCondition({ join, rows }: ConditionForm): string {
  return rows
    .filter((row) => findRowProblem(row) === null)
    .map(writeRow)
    .join(JOINS[join]);
}

const JOINS = { and: " && ", or: " || " } as const;

/** The position of each row in the text of a form; null for a row that is left out. */
export function locateRows({ join, rows }: ConditionForm): ({ from: number; to: number } | null)[] {
  let at = 0;
  return rows.map((row) => {
    if (findRowProblem(row) !== null) return null;
    const from = at;
    const to = from + writeRow(row).length;
    at = to + JOINS[join].length;
    return { from, to };
  });
}

function writeRow({ field, operator, values }: ConditionRow): string {
  const path = readField(field);
  if (path === null) return "";
  const operand = writeField(path);
  const literals = values.map(writeLiteral);
  switch (operator) {
    case "missing":
      return `!has(${operand})`;
    case "present":
      return `has(${operand})`;
    case "includes":
      return `${literals[0]} in ${operand}`;
    case "one_of":
      return `${operand} in [${literals.join(", ")}]`;
    case "contains":
    case "starts_with":
    case "matches":
      return `${operand}.${SYMBOLS.get(operator)}(${literals[0]})`;
    default:
      return `${operand} ${SYMBOLS.get(operator)} ${literals[0]}`;
  }
}

function writeLiteral({ kind, text }: Literal): string {
  if (kind === "null") return "null";
  return kind === "text" ? JSON.stringify(text) : text;
}

/** Reads the text of a condition back into the form; null where the builder does not write such a condition. */
export function readCondition(text: string): ConditionForm | null {
  const tokens = tokenize(text);
  if (tokens === null) return null;
  if (tokens.length === 0) return EMPTY_CONDITION;
  return new ConditionReader(tokens).read();
}

interface Token {
  kind: "word" | "number" | "symbol" | "string";
  /** The value of a string, without quotes and escapes. */
  text: string;
}

const TOKEN =
  /(?<space>\s+)|(?<word>[A-Za-z_][A-Za-z0-9_]*)|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?<string>"(?:[^"\\\n\r]|\\(?:["'\\bfnrt]|u[0-9a-fA-F]{4}))*"|'(?:[^'\\\n\r]|\\(?:["'\\bfnrt]|u[0-9a-fA-F]{4}))*')|(?<symbol>&&|\|\||[=!<>]=|[<>!()[\].,])/y;

function tokenize(text: string): Token[] | null {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text)?.groups;
    if (found === undefined) return null;
    if (found.string !== undefined) {
      // A string that touches a word or another string is raw, of bytes, or has three quotes.
      const touches = at > 0 && /[\w"']/.test(text.charAt(at - 1));
      if (touches) return null;
      tokens.push({ kind: "string", text: unquote(found.string) });
    } else if (found.word !== undefined) tokens.push({ kind: "word", text: found.word });
    else if (found.number !== undefined) tokens.push({ kind: "number", text: found.number });
    else if (found.symbol !== undefined) tokens.push({ kind: "symbol", text: found.symbol });
  }
  return tokens;
}

function unquote(quoted: string): string {
  const inner = quoted.slice(1, -1);
  const asJson = inner.replaceAll(/\\.|"/gs, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part));
  return JSON.parse(`"${asJson.replaceAll(/[^ -\uffff]/g, escapeControl)}"`) as string;
}

const escapeControl = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

const LITERAL_WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** The position of an item; a longer one is not the builder's. */
const INDEX = /^\d{1,9}$/;

class ConditionReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  /** The builder cannot represent the condition. Tokens read after that have no meaning. */
  #failed = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  read(): ConditionForm | null {
    const rows = [this.#readRow()];
    const join = this.#isNext("||") ? "or" : "and";
    while (this.#at < this.#tokens.length && !this.#failed) {
      this.#take(join === "or" ? "||" : "&&");
      rows.push(this.#readRow());
    }
    return !this.#failed && rows.every((row) => findRowProblem(row) === null) ? { join, rows } : null;
  }

  #readRow(): ConditionRow {
    if (this.#isNext("!")) {
      this.#take("!");
      return this.#readHas("missing");
    }
    if (this.#isNext("has")) return this.#readHas("present");
    const next = this.#tokens[this.#at];
    const isValue = next?.kind !== "word" || LITERAL_WORDS.has(next.text);
    return isValue ? this.#readIncludes() : this.#readComparison();
  }

  #readHas(operator: "missing" | "present"): ConditionRow {
    this.#take("has");
    this.#take("(");
    const { path } = this.#readPath();
    this.#take(")");
    return { field: writeField(path), operator, values: [] };
  }

  #readIncludes(): ConditionRow {
    const value = this.#readLiteral();
    this.#take("in");
    const { path } = this.#readPath();
    return { field: writeField(path), operator: "includes", values: [value] };
  }

  #readComparison(): ConditionRow {
    const { path, method } = this.#readPath(true);
    const field = writeField(path);
    if (method !== null) {
      this.#take("(");
      const value: Literal = { kind: "text", text: this.#next("string") };
      this.#take(")");
      return { field, operator: METHODS[method], values: [value] };
    }
    if (this.#isNext("in")) {
      this.#take("in");
      return { field, operator: "one_of", values: this.#readList() };
    }
    const symbol = this.#next("symbol");
    if (!Object.hasOwn(COMPARISONS, symbol)) this.#failed = true;
    return { field, operator: COMPARISONS[symbol as keyof typeof COMPARISONS], values: [this.#readLiteral()] };
  }

  #readList(): Literal[] {
    this.#take("[");
    const values = [this.#readLiteral()];
    while (this.#isNext(",")) {
      this.#take(",");
      values.push(this.#readLiteral());
    }
    this.#take("]");
    return values;
  }

  #readLiteral(): Literal {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === "string") return { kind: "text", text: token.text };
    if (token?.kind === "number") return { kind: "number", text: token.text };
    if (token?.text === "true" || token?.text === "false") return { kind: "boolean", text: token.text };
    if (token?.text !== "null") this.#failed = true;
    return { kind: "null", text: "" };
  }

  /** @param computed whether `count()` and parts of the time are read, and a call of a method may follow */
  #readPath(computed = false): { path: FieldPath; method: keyof typeof METHODS | null } {
    const root = this.#next("word");
    if (computed && root === "count") return { path: { root: this.#readCount(), segments: [] }, method: null };
    if (computed && root === "time") return { path: { root: this.#readTimePart(), segments: [] }, method: null };
    if (!CONDITION_ROOTS.some((name) => name === root)) this.#failed = true;
    const segments: FieldSegment[] = [];
    for (;;) {
      if (this.#isNext(".")) {
        this.#take(".");
        const name = this.#next("word");
        if (this.#isNext("(")) {
          if (!computed || !Object.hasOwn(METHODS, name)) this.#failed = true;
          return { path: { root, segments }, method: name as keyof typeof METHODS };
        }
        segments.push(name);
      } else if (this.#isNext("[")) {
        this.#take("[");
        segments.push(this.#readKey());
        this.#take("]");
      } else return { path: { root, segments }, method: null };
    }
  }

  #readKey(): FieldSegment {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === "string") return token.text;
    if (token?.kind !== "number" || !INDEX.test(token.text)) this.#failed = true;
    return Number(token?.text);
  }

  #readCount(): string {
    this.#take("(");
    const minutes = this.#next("number");
    this.#take(")");
    return `count(${minutes})`;
  }

  #readTimePart(): string {
    this.#take(".");
    const part = this.#next("word");
    this.#take("(");
    const zone = this.#tokens[this.#at]?.kind === "string" ? JSON.stringify(this.#next("string")) : "";
    this.#take(")");
    return `time.${part}(${zone})`;
  }

  #isNext(text: string): boolean {
    const token = this.#tokens[this.#at];
    return token !== undefined && token.kind !== "string" && token.text === text;
  }

  #take(text: string): void {
    if (!this.#isNext(text)) this.#failed = true;
    this.#at += 1;
  }

  #next(kind: Token["kind"]): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== kind) this.#failed = true;
    this.#at += 1;
    return token?.text ?? "";
  }
}
