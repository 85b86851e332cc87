import { findNodeAtLocation, type JSONVisitor, type Node, parseTree, visit } from "jsonc-parser";
import type { Fault } from "@/lib/contract/envelope";
import { arrayIndex, parsePointer } from "@/lib/json/json-pointer";
import { lossyNumber } from "@/lib/schema/json-number";
import { locateOffset, type TextFault } from "./locate-fault";

/** Warnings shown; more would not help. */
const MAX_WARNINGS = 50;
const MAX_QUOTED_CHARS = 60;

/** A note on a position in the JSON text. */
export interface JsonProblem {
  from: number;
  to: number;
  line: number;
  column: number;
  severity: "error" | "warning";
  message: string;
}

/** The node of a pointer, or the nearest one around it that the text has. */
function findNode(tree: Node, pointer: string): Node {
  let node = tree;
  for (const token of parsePointer(pointer)) {
    const segment = node.type === "array" ? (arrayIndex(token) ?? token) : token;
    const child = findNodeAtLocation(node, [segment]);
    if (child === undefined) return node;
    node = child;
  }
  return node;
}

/** Lists the problems of the text: that it is not JSON, else what the tool gets differently and what the server reports. */
export function jsonProblems(text: string, fault: TextFault | null, faults: readonly Fault[]): JsonProblem[] {
  if (fault !== null) {
    const { offset, line, column, message } = fault;
    return [{ from: offset, to: Math.min(offset + 1, text.length), line, column, severity: "error", message }];
  }
  const warnings = textWarnings(text).map(
    (warning): JsonProblem => ({
      from: warning.offset,
      to: warning.offset + warning.length,
      ...locateOffset(text, warning.offset),
      severity: "warning",
      message: warning.message,
    }),
  );
  const tree = parseTree(text);
  if (tree === undefined) return warnings;
  const said = faults.map((entry): JsonProblem => {
    const node = findNode(tree, entry.pointer);
    // A structure is marked by its opening bracket: underlining all of it points nowhere.
    const length = node.type === "object" || node.type === "array" ? 1 : node.length;
    return {
      from: node.offset,
      to: node.offset + length,
      ...locateOffset(text, node.offset),
      severity: entry.severity ?? "error",
      message: entry.path === "" ? entry.message : `${entry.path} ${entry.message}`,
    };
  });
  return [...said, ...warnings];
}

export function findOffset(text: string, pointer: string): number {
  const tree = parseTree(text);
  return tree === undefined ? 0 : findNode(tree, pointer).offset;
}

/** Something in valid JSON text that the tool does not get the way it is written. */
interface TextWarning {
  offset: number;
  length: number;
  line: number;
  message: string;
}

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
