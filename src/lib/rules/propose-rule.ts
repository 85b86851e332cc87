import type { CallRuleInput } from "../contract/call-rule";
import { isJsonText } from "../json/is-json-text";
import { findValueEnd, skipSpace, walkMembers } from "../json/json-text";
import { hasMask, REDACTED } from "../masked-value";
import { writeField } from "./condition-field";
import { type ConditionRow, isNumberText } from "./condition-form";
import { writeCondition } from "./condition-text";

const MAX_ROWS = 4;
/** A longer text is in no other call. */
const MAX_TEXT_CHARS = 80;
const MAX_NAME_CHARS = 80;

export const EMPTY_RULE: CallRuleInput = {
  name: "",
  state: "on",
  scope: { tools: [], servers: [], toolsets: [], tags: [] },
  caller: { users: [], roles: [], tokens: [], clients: [], sources: [] },
  condition: "",
  fallback: "skip",
  effect: { kind: "ask", approver: "always" },
};

/** Proposes a rule that asks for calls such as this one: of its tool, with its first scalar arguments. */
export function proposeRule({ toolName, argumentsText }: { toolName: string; argumentsText: string }): CallRuleInput {
  const rows = listScalars(argumentsText).slice(0, MAX_ROWS);
  return {
    ...EMPTY_RULE,
    name: `Ask for ${toolName}`.slice(0, MAX_NAME_CHARS),
    scope: { ...EMPTY_RULE.scope, tools: [toolName] },
    condition: writeCondition({ join: "and", rows }),
  };
}

/** Numbers as parts of the text, since one of many digits would be read as another one. */
function listScalars(argumentsText: string): ConditionRow[] {
  const open = skipSpace(argumentsText, 0);
  if (argumentsText[open] !== "{" || !isJsonText(argumentsText)) return [];
  const rows: ConditionRow[] = [];
  walkMembers(argumentsText, open, (quotedKey, start) => {
    const end = findValueEnd(argumentsText, start);
    const row = toRow(JSON.parse(quotedKey) as string, argumentsText.slice(start, end));
    if (row !== null) rows.push(row);
    return end;
  });
  return rows;
}

/** A number or more of it, equal texts and flags. Secrets stay out of rules. */
function toRow(key: string, valueText: string): ConditionRow | null {
  const field = writeField({ root: "args", segments: [key] });
  if (valueText === "true" || valueText === "false") {
    return { field, operator: "equals", values: [{ kind: "boolean", text: valueText }] };
  }
  if (isNumberText(valueText)) return { field, operator: "at_least", values: [{ kind: "number", text: valueText }] };
  if (!valueText.startsWith('"')) return null;
  const text = JSON.parse(valueText) as string;
  if (text.length > MAX_TEXT_CHARS || hasMask(text) || text.includes(REDACTED)) return null;
  return { field, operator: "equals", values: [{ kind: "text", text }] };
}
