import type { Fault } from "@/lib/contract/envelope";
import type { JsonValue } from "@/lib/contract/json";
import { equalJson } from "@/lib/json/equal-json";
import type { FieldDescription } from "@/lib/schema/describe/describe-field";
import { shortJson } from "@/lib/schema/short-json";
import { faultText, isError } from "./fault-tree";

const MAX_EXAMPLES = 4;
const MAX_SHOWN_CHARS = 48;

const shown = (value: JsonValue): string => shortJson(value, MAX_SHOWN_CHARS);

/** The look of a proposed value. */
export const OFFER =
  "inline-flex min-h-6 max-w-full items-center max-sm:min-h-10 rounded-sm px-0.5 text-accent [overflow-wrap:anywhere] hover:underline disabled:cursor-not-allowed disabled:opacity-45";

interface FieldHintsProps {
  id: string;
  field: FieldDescription;
  value: JsonValue | undefined;
  disabled: boolean;
  onUse: (value: JsonValue) => void;
}

export function hasHints(field: FieldDescription): boolean {
  return [field.description, field.constraints, field.problem].some((part) => part !== null);
}

/** Shows the schema's description of a field; its default and examples are sent only when picked. Tab passes the examples, which the field takes as text too. */
export function FieldHints({ id, field, value, disabled, onUse }: FieldHintsProps) {
  const { defaultValue } = field;
  const examples = field.examples.filter((example) => !equalJson(example, value)).slice(0, MAX_EXAMPLES);
  const offersDefault = defaultValue !== undefined && !equalJson(defaultValue, value);
  if (!hasHints(field) && !offersDefault && examples.length === 0) return null;
  return (
    <div className="my-1 space-y-0.5 text-mute text-xs">
      {hasHints(field) && (
        <div id={id}>
          {field.description !== null && (
            <p dir="auto" className="whitespace-pre-line [overflow-wrap:anywhere]">
              {field.description}
            </p>
          )}
          {field.constraints !== null && (
            <p className="font-mono text-2xs text-faint [overflow-wrap:anywhere]">{field.constraints}</p>
          )}
          {field.problem !== null && <p className="text-warn">Schema: {field.problem}</p>}
        </div>
      )}
      {offersDefault && (
        <p>
          Default: <code className="font-mono [overflow-wrap:anywhere]">{shown(defaultValue)}</code>
        </p>
      )}
      {examples.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-1">
          Examples:
          {examples.map((example) => (
            <button
              key={JSON.stringify(example)}
              type="button"
              tabIndex={-1}
              disabled={disabled}
              onClick={() => onUse(example)}
              className={`${OFFER} font-mono`}
            >
              {shown(example)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

/** The faults of a field; with their paths where they belong to a field that is not shown. */
export function FaultList({ id, faults, withPath }: { id?: string; faults: readonly Fault[]; withPath: boolean }) {
  if (faults.length === 0) return null;
  return (
    <ul id={id} className="mt-1 text-xs">
      {faults.map((fault) => (
        <li
          key={`${fault.pointer} ${fault.keyword} ${fault.message}`}
          className={`[overflow-wrap:anywhere] ${isError(fault) ? "text-bad" : "text-warn"}`}
        >
          {!isError(fault) && "Warning: "}
          {withPath && fault.path !== "" && <code className="font-mono">{fault.path} </code>}
          {withPath || !isError(fault) ? fault.message : faultText(fault)}
        </li>
      ))}
    </ul>
  );
}
