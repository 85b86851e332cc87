import { isJsonText } from "../json/is-json-text";
import { findValueEnd, skipSpace, walkMembers } from "../json/json-text";

const MAX_EFFECT_CHARS = 200;
const MAX_VALUES = 6;
const MAX_VALUE_CHARS = 60;

interface DescribedCall {
  toolName: string;
  definition: { description: string } | null;
  argumentsText: string;
}

/** Says in one sentence what an approved call does: the first sentence of the tool's description, and the call's values. */
export function describeEffect({ toolName, definition, argumentsText }: DescribedCall): string {
  const values = listValues(argumentsText);
  const suffix = values === "" ? "" : `: ${values}`;
  if (definition === null) return `Run ${toolName}, which is no longer in the catalog${suffix}`;
  return `${readPurpose(definition) || `Run ${toolName}`}${suffix}`;
}

/** The first sentence of a tool's description; empty without a description. */
export function readPurpose({ description }: { description: string }): string {
  const [said = ""] = /^.*?(?=[.!?](?:\s|$)|\n|$)/s.exec(description.trim()) ?? [];
  return said.slice(0, MAX_EFFECT_CHARS);
}

/**
 * Lists the first arguments as `report = r-7, days = 3`, long ones cut; empty where there are none. Values are parts of the text,
 * since a number of many digits would be read as another one.
 */
export function listValues(argumentsText: string): string {
  const open = skipSpace(argumentsText, 0);
  if (argumentsText[open] !== "{" || !isJsonText(argumentsText)) return "";
  const shown: string[] = [];
  let count = 0;
  walkMembers(argumentsText, open, (quotedKey, start) => {
    const end = findValueEnd(argumentsText, start);
    count += 1;
    if (count <= MAX_VALUES) shown.push(`${JSON.parse(quotedKey)} = ${cutValue(argumentsText.slice(start, end))}`);
    return end;
  });
  return [...shown, ...(count > MAX_VALUES ? [`${count - MAX_VALUES} more`] : [])].join(", ");
}

function cutValue(text: string): string {
  const shown: string = text.startsWith('"') ? JSON.parse(text) : text;
  return shown.length > MAX_VALUE_CHARS ? `${shown.slice(0, MAX_VALUE_CHARS)}…` : shown;
}
