import { formatDuration } from "../../lib/format/duration";
import { diffJsonText } from "../../lib/json-diff/diff-json";
import type { DiffRow, JsonDiff } from "../../lib/json-diff/diff-row";
import { foldRows } from "../../lib/json-diff/fold-rows";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import { formatStatus, type ReceivedExecution, readResultText } from "../calls/executions/execution-output";
import { type Color, formatFacts, paint } from "./output";

interface Side {
  id: string;
  tool: string;
  status: string;
  durationMs: number | null;
}

interface Difference {
  identical: boolean;
  added: number;
  removed: number;
  changed: number;
}

export interface Comparison {
  json: { left: Side; right: Side; arguments: Difference; outcome: Difference };
  format(color: boolean): string;
}

/** The differences of two calls, from their texts in the REST API. */
export function describeComparison(leftText: string, rightText: string): Comparison {
  const left = readSide(leftText);
  const right = readSide(rightText);
  const args = diffJsonText(left.call.argumentsText, right.call.argumentsText);
  const outcome = diffJsonText(left.outcome, right.outcome);
  return {
    json: {
      left: toSide(left.call),
      right: toSide(right.call),
      arguments: toDifference(args),
      outcome: toDifference(outcome),
    },
    format: (color) =>
      [
        formatFacts([describeSide("Left", left.call), describeSide("Right", right.call)], color),
        formatDiff("Result or error", outcome, color),
        formatDiff("Arguments", args, color),
      ].join("\n"),
  };
}

function readSide(text: string): { call: ReceivedExecution; outcome: string } {
  const call = JSON.parse(text) as ReceivedExecution;
  const stored = call.resultStart ?? (call.error === null ? readResultText(text) : null);
  return { call, outcome: stored ?? JSON.stringify(call.error) };
}

function toSide(call: ReceivedExecution): Side {
  return { id: call.id, tool: call.toolName, status: call.status, durationMs: call.durationMs };
}

const toDifference = ({ identical, counts }: JsonDiff): Difference => ({ identical, ...counts });

function describeSide(label: string, call: ReceivedExecution) {
  const text = `${call.id}  ${call.toolName}  ${formatStatus(call).text}  ${formatDuration(call.durationMs)}`;
  return [label, text] as const;
}

function formatDiff(title: string, { identical, mode, rows }: JsonDiff, color: boolean): string {
  if (identical) return `${title}: identical\n`;
  if (mode === "raw") return `${title}: different, and too large to compare\n`;
  const lines = foldRows(rows).flatMap(({ folded, lines: shown }) =>
    folded ? [`  … ${shown.length} equal lines`] : shown.flatMap(({ row }) => formatRow(row, color)),
  );
  return `${title}\n${lines.join("\n")}\n`;
}

/** Formats a row as `diff -u` does: a changed line is removed and added. */
function formatRow({ kind, left, right }: DiffRow, color: boolean): string[] {
  const line = (sign: string, side: DiffRow["left"], wanted?: Color): string[] => {
    if (side === undefined) return [];
    const text = `${sign} ${"  ".repeat(side.depth)}${stripControlCharacters(side.text)}`;
    return [color ? paint(text, wanted) : text];
  };
  if (kind === "same") return line(" ", left ?? right);
  return [...line("-", left, "red"), ...line("+", right, "green")];
}
