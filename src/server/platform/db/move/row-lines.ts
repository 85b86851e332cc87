import { hash } from "node:crypto";
import { decodeText, encodeText } from "../postgres/text-codec";

/** How a column's values are written, by the types of PostgreSQL. */
export type ColumnKind = "text" | "integer" | "float" | "boolean" | "timestamp" | "bytes";

export interface MovedColumn {
  name: string;
  kind: ColumnKind;
}

/** A table that both kinds of databases have. */
export interface MovedTable {
  name: string;
  columns: readonly MovedColumn[];
  /** The columns of its primary key. */
  key: readonly string[];
  /** The column that counts automatically; null for none. */
  counter: string | null;
}

const NULL = "\\N";
const ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};
const UNESCAPES: ReadonlyMap<string, string> = new Map(Object.entries(ESCAPES).map(([char, text]) => [text, char]));
const ESCAPED = /[\b\f\n\r\t\v\\]/g;

const escapeText = (text: string): string =>
  encodeText(text).replace(ESCAPED, (character) => ESCAPES[character] ?? character);
const unescapeText = (field: string): string =>
  decodeText(field.includes("\\") ? field.replace(/\\./g, (pair) => UNESCAPES.get(pair) ?? pair) : field);

/** A value of SQLite, with integers of 64 bits. */
export type SqliteValue = string | number | bigint | Buffer | null;

const TO_FIELD: Readonly<Record<ColumnKind, (value: NonNullable<SqliteValue>) => string>> = {
  text: (value) => escapeText(String(value)),
  integer: String,
  float: String,
  boolean: (value) => (value ? "t" : "f"),
  // PostgreSQL writes no zeros at the end of a fraction.
  timestamp: (value) =>
    new Date(typeof value === "string" ? value : Number(value))
      .toISOString()
      .replace("T", " ")
      .slice(0, -1)
      .replace(/\.?0+$/, ""),
  bytes: (value) => `\\\\x${Buffer.from(value as Buffer).toString("hex")}`,
};

/** Longer numbers may have more digits than a JavaScript number keeps. */
const SAFE_DIGITS = 15;

const FROM_FIELD: Readonly<Record<ColumnKind, (field: string) => NonNullable<SqliteValue>>> = {
  text: unescapeText,
  integer: (field) => (field.length <= SAFE_DIGITS ? Number(field) : BigInt(field)),
  float: Number,
  boolean: (field) => (field === "t" ? 1 : 0),
  timestamp: (field) => Date.parse(`${field.replace(" ", "T")}Z`),
  bytes: (field) => Buffer.from(field.slice("\\\\x".length), "hex"),
};

/**
 * Rows travel as lines of PostgreSQL's text format, which is also what checksums are made of: one text for one content, whichever
 * database it is from.
 */
export function createLineFormat({ columns }: Pick<MovedTable, "columns">) {
  const kinds = columns.map(({ kind }) => kind);
  const floats = kinds.flatMap((kind, index) => (kind === "float" ? [index] : []));
  return {
    fromValues: (values: readonly SqliteValue[]): string =>
      kinds
        .map((kind, index) => {
          const value = values[index] ?? null;
          return value === null ? NULL : TO_FIELD[kind](value);
        })
        .join("\t"),
    toValues(line: string): SqliteValue[] {
      const fields = line.split("\t");
      return kinds.map((kind, index) => {
        const field = fields[index] ?? NULL;
        return field === NULL ? null : FROM_FIELD[kind](field);
      });
    },
    /** PostgreSQL writes 1e-07 where JavaScript has 1e-7. */
    fromPostgres(line: string): string {
      if (floats.length === 0) return line;
      const fields = line.split("\t");
      for (const index of floats) {
        const field = fields[index];
        if (field?.includes("e")) fields[index] = String(Number(field));
      }
      return fields.join("\t");
    },
  };
}

/** A checksum of rows in any order: two databases sort some texts differently. */
export class Checksum {
  rows = 0;
  readonly #sums = new Uint32Array(4);

  add(line: string): void {
    this.rows += 1;
    const digest = hash("sha256", line, "buffer");
    for (let index = 0; index < 4; index += 1)
      this.#sums[index] = (this.#sums[index] ?? 0) + digest.readUInt32LE(index * 4);
  }

  toString(): string {
    return [...this.#sums].map((sum) => sum.toString(16).padStart(8, "0")).join("");
  }
}
