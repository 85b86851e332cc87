import { type ReactNode, useId } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { RemoveRow } from "@/app/_kit/row-list";
import { Input } from "@/app/_ui/field";

interface NamedRowProps {
  name: string;
  /** The name's field in the settings. */
  field: string;
  /** What the row is called without a name: `header 2`. */
  ordinal: string;
  placeholder: string;
  invalid: boolean;
  problems: readonly string[];
  onName: (name: string) => void;
  onRemove: () => void;
  /** Beside the name. @param describedBy the problems' id */
  children: (describedBy: string | undefined) => ReactNode;
  /** Below both. */
  note?: ReactNode;
}

/** A name as data, what belongs to it, and a button that removes both. */
export function NamedRow({ name, field, ordinal, placeholder, invalid, problems, ...props }: NamedRowProps) {
  const { onName, onRemove, children, note } = props;
  const id = useId();
  const describedBy = problems.length > 0 ? `${id}-problems` : undefined;
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_1.75rem] items-center gap-1.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.75rem]">
        <Input
          aria-label={`Name of ${ordinal}`}
          data-field={field}
          value={name}
          invalid={invalid}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono text-xs!"
          aria-describedby={describedBy}
          onChange={(event) => onName(event.target.value)}
        />
        <div className="max-sm:order-3 max-sm:col-span-2">{children(describedBy)}</div>
        <RemoveRow label={`Remove ${name === "" ? ordinal : name}`} onRemove={onRemove} />
      </div>
      {note}
      <FieldProblems id={id} problems={problems} />
    </>
  );
}
