import { type JSONVisitor, visit } from "jsonc-parser";
import { lossyNumber } from "@/lib/schema/json-number";
import { locateOffset } from "./locate-fault";

/** Something in valid JSON text that the tool does not get the way it is written. */
export interface TextWarning {
  offset: number;
  length: number;
  line: number;
  message: string;
}

/** Warnings shown; more would not help. */
const MAX_WARNINGS = 50;
const MAX_QUOTED_CHARS = 60;

function quoted(text: string): string {
  return text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
}

/** Repeated keys, of which the last counts, and numbers that JavaScript cannot hold as they are written: the text is sent as typed, and the tool gets its parsed value. */
export function textWarnings(text: string): TextWarning[] {
  const warnings: TextWarning[] = [];
  const objects: Map<string, number>[] = [];
  const warn = (offset: number, length: number, message: string) => {
    if (warnings.length < MAX_WARNINGS)
      warnings.push({ offset, length, line: locateOffset(text, offset).line, message });
  };
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      objects.push(new Map());
    },
    onObjectEnd: () => {
      objects.pop();
    },
    onObjectProperty: (name, offset, length) => {
      const keys = objects.at(-1);
      const before = keys?.get(name);
      if (before !== undefined) {
        const line = locateOffset(text, before).line;
        warn(
          offset,
          length,
          `${quoted(JSON.stringify(name))} is already on line ${line}; the tool gets only the last one`,
        );
      }
      keys?.set(name, before ?? offset);
    },
    onLiteralValue: (value, offset, length) => {
      if (typeof value !== "number") return;
      const literal = text.slice(offset, offset + length);
      const kept = lossyNumber(literal);
      if (kept !== null) warn(offset, length, `${quoted(literal)} reaches the tool as ${kept}`);
    },
  };
  visit(text, visitor, { disallowComments: true });
  return warnings;
}
