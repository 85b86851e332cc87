import { Checkbox } from "@/app/_ui/checkbox";
import { equalJson } from "@/lib/json/equal-json";
import { describeField, type FieldDescription, type FieldOption } from "@/lib/schema/describe/describe-field";
import type { ScalarFieldProps } from "./field-control";
import type { ArgumentsForm } from "./form-context";

/** Options shown; a server that lists more must not freeze the page. */
const MAX_OPTIONS = 1_000;

/** The options of a list that is answered by checking them; null for every other field. */
export function listChoices(field: FieldDescription, { purpose, root }: ArgumentsForm): FieldOption[] | null {
  if (purpose !== "answer" || field.kind !== "array") return null;
  const items = describeField(field.items, root);
  return items.kind === "enum" || items.kind === "const" ? items.options.slice(0, MAX_OPTIONS) : null;
}

interface CheckListProps extends ScalarFieldProps {
  options: FieldOption[];
}

/** Checks any number of options. An optional list without any is omitted. */
export function CheckList({ control, value, onSet, onUnset, options }: CheckListProps) {
  const isChecked = (option: FieldOption) =>
    Array.isArray(value) && value.some((each) => equalJson(each, option.value));
  const toggle = (toggled: FieldOption) => {
    const checked = options.filter((option) => isChecked(option) !== (option === toggled));
    if (checked.length > 0 || control["aria-required"]) onSet(checked.map((option) => option.value));
    else onUnset();
  };
  return (
    <fieldset
      aria-label={control["aria-label"]}
      aria-describedby={control["aria-describedby"]}
      className="flex max-h-60 flex-col gap-1 overflow-auto rounded-md border border-edge px-2.5 py-1.5"
    >
      {options.map((option, index) => (
        <label key={JSON.stringify(option.value)} className="flex min-h-6 items-center gap-2">
          <Checkbox
            {...(index === 0 ? { id: control.id } : {})}
            checked={isChecked(option)}
            disabled={control.disabled}
            onChange={() => toggle(option)}
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
