import { stripControlCharacters } from "../../lib/strip-control-characters";
import type { CellColor, CellInput } from "../platform/api/operation-command";
import type { CommandIo, OutputStream } from "./command-io";

const CODES: Readonly<Record<CellColor, number>> = { red: 31, green: 32, yellow: 33, gray: 90, bold: 1 };
export type Color = CellColor;
export type Cell = Exclude<CellInput, string>;

const GAP = "  ";
/** A column is no wider than this unless it is the last one. */
const MAX_COLUMN = 48;

/** Colors are for a terminal whose user did not switch them off (https://no-color.org). */
export function usesColor(stream: OutputStream, env: CommandIo["env"]): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}

export interface TableStyle {
  color: boolean;
  /** Characters of a line; absent: lines are not cut. */
  width?: number | undefined;
}

/** Columns padded to their widest cell. Cells have one line, without terminal control sequences. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly CellInput[])[],
  { color, width }: TableStyle,
): string {
  const cells = [head.map((text) => ({ text, color: "gray" as const })), ...rows.map((row) => row.map(toCell))];
  const last = head.length - 1;
  const widths = head.map((_, at) => Math.max(...cells.map((row) => countChars(row[at]?.text ?? ""))));
  const shown = widths.map((wide, at) => (at === last || width === undefined ? wide : Math.min(wide, MAX_COLUMN)));
  const used = shown.slice(0, last).reduce((sum, wide) => sum + wide + GAP.length, 0);
  if (width !== undefined) shown[last] = Math.max(12, width - used);
  const lines = cells.map((row) =>
    row
      .map(({ text, color: wanted }, at) => {
        const cut = cutText(text, shown[at] ?? 0);
        const padded = at === last ? cut : cut.padEnd(cut.length + (shown[at] ?? 0) - countChars(cut));
        return color ? paint(padded, wanted) : padded;
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Formats lines of `Label  value`. */
export function formatFacts(facts: readonly (readonly [label: string, value: CellInput | null])[], color: boolean) {
  const known = facts.flatMap(([label, value]) => (value === null ? [] : [[label, toCell(value)] as const]));
  const wide = Math.max(...known.map(([label]) => label.length));
  return known
    .map(([label, { text, color: wanted }]) => {
      const name = label.padEnd(wide);
      return `${color ? paint(name, "gray") : name}${GAP}${color ? paint(text, wanted) : text}\n`;
    })
    .join("");
}

export function paint(text: string, color: Color | undefined): string {
  return color === undefined || text === "" ? text : `\u{1b}[${CODES[color]}m${text}\u{1b}[0m`;
}

/** A text on one line, without terminal control sequences. */
export function toLine(text: string): string {
  return stripControlCharacters(text).replace(/\s+/g, " ").trim();
}

function toCell(input: CellInput): Cell {
  const { text, color } = typeof input === "string" ? { text: input } : input;
  return { text: toLine(text), color };
}

const countChars = (text: string): number => [...text].length;

function cutText(text: string, most: number): string {
  const chars = [...text];
  return chars.length <= most ? text : `${chars.slice(0, Math.max(0, most - 1)).join("")}…`;
}

/** Writes whole texts in order; resolves once the stream takes more. */
export function write(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Characters that JSON need not escape and a terminal may run. */
const TERMINAL_CONTROLS = /[\u{7f}-\u{9f}]/gu;

/** One JSON text and a line break; for a terminal with more escapes, which mean the same. */
export function writeJson({ stdout }: Pick<CommandIo, "stdout">, text: string): Promise<void> {
  const toEscape = (char: string): string => `\\u00${char.charCodeAt(0).toString(16)}`;
  return write(stdout, `${stdout.isTTY === true ? text.replace(TERMINAL_CONTROLS, toEscape) : text}\n`);
}

export function toTableStyle({ stdout, env }: Pick<CommandIo, "stdout" | "env">): TableStyle {
  return { color: usesColor(stdout, env), width: stdout.isTTY ? (stdout.columns ?? 80) : undefined };
}
