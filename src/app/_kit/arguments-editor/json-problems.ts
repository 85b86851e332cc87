import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { Fault } from "@/lib/contract/envelope";
import { arrayIndex, parsePointer } from "@/lib/json/json-pointer";
import { locateOffset, type TextFault } from "./locate-fault";
import { textWarnings } from "./text-warnings";

/** Something to say about a place of the JSON text. */
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
