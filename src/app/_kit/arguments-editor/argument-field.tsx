import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, type ReactNode, useCallback, useId, useRef, useState } from "react";
import { Badge } from "@/app/_ui/badge";
import type { JsonValue } from "@/lib/contract/json";
import { equalJson } from "@/lib/json/equal-json";
import { pointerToPath } from "@/lib/json/json-pointer";
import { describeField, isContainer } from "@/lib/schema/describe/describe-field";
import { fitsField } from "@/lib/schema/describe/fits-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import { listChoices } from "./check-list";
import { faultsBeneath, isError } from "./fault-tree";
import { FieldBody } from "./field-body";
import type { FieldControl } from "./field-control";
import { FaultList, FieldHints, hasHints, OFFER } from "./field-hints";
import type { FieldProps } from "./field-props";
import { fieldId, useArgumentsForm } from "./form-context";

const LABELS: Record<ValueState, string> = { omit: "Omit", null: "null", value: "Value" };

/** Shows what a field reveals while the field itself, not one inside it, has the pointer or the focus. */
const REVEALS =
  "[&:is(:hover,:focus-within):not(:has([data-pointer]:is(:hover,:focus-within)))>[data-field-header]_[data-reveal]]:visible";

/** Hidden so that Tab goes from value to value; a device without a pointer that hovers shows it. */
const REVEALED = "invisible [@media(hover:none)]:visible";

const NAME = "min-w-0 font-medium text-sm [overflow-wrap:anywhere]";

/** Containers nested deeper than this begin closed, unless there is nothing in them: someone has just added it. */
const OPEN_DEPTH = 4;

function holdsNothing(value: JsonValue | undefined): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

function FieldView(props: FieldProps) {
  const { name, pointer, schema, value, faults, depth, required = false, extra = false, canBeAbsent = true } = props;
  const form = useArgumentsForm();
  const { dispatch, root, idPrefix, disabled } = form;
  const field = describeField(schema, root);
  const [open, setOpen] = useState(depth < OPEN_DEPTH || holdsNothing(value));
  const [editingRaw, setEditingRaw] = useState(false);
  const id = fieldId(idPrefix, pointer);
  const isAnswer = form.purpose === "answer";
  // The name to show, since a key may be an empty text.
  const shownName = (isAnswer ? field.title : null) ?? (name === "" ? '""' : name);
  const raw = editingRaw || field.kind === "any" || !fitsField(field, value);
  const structure = isContainer(field.kind) && listChoices(field, form) === null;
  const container = !raw && structure && value !== undefined && value !== null;
  const isOpen = container && open;
  const beneath = isOpen || (!raw && field.kind === "union") ? [] : faultsBeneath(faults);
  const shownFaults = [...faults.own, ...beneath];
  const invalid = shownFaults.some(isError);

  const change = useCallback(
    (next: JsonValue | undefined) => {
      dispatch(next === undefined ? { type: "unset", pointer } : { type: "set", pointer, value: next });
    },
    [dispatch, pointer],
  );
  const describedBy = [hasHints(field) && `${id}-hint`, shownFaults.length > 0 && `${id}-fault`]
    .filter(Boolean)
    .join(" ");
  const control: FieldControl = {
    id,
    "aria-label": (isAnswer ? "" : pointerToPath(pointer)) || shownName,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    "aria-required": required || undefined,
    invalid,
    disabled,
  };
  const hints = <FieldHints id={`${id}-hint`} field={field} value={value} disabled={disabled} onUse={change} />;
  const { defaultValue } = field;
  const offersDefault = defaultValue !== undefined && !equalJson(defaultValue, value);
  // Hints that describe children stand above them.
  const hintsFirst = structure || field.kind === "union";
  return (
    <div data-pointer={pointer} className={`min-w-0 ${REVEALS}`}>
      <FieldHeader
        name={shownName}
        typeLabel={field.typeLabel}
        required={required}
        extra={extra}
        control={control}
        open={container ? open : null}
        labels={raw || !isContainer(field.kind)}
        onToggle={() => setOpen(!open)}
        actions={props.actions}
      >
        {offersDefault && (
          <span data-reveal className={REVEALED}>
            <button
              type="button"
              disabled={disabled}
              onClick={() => change(defaultValue)}
              className={`${OFFER} text-2xs`}
            >
              Use default
            </button>
          </span>
        )}
        {(!isAnswer || structure || field.allowsNull) && (
          <StateControl
            value={value}
            describedBy={`${id}-label`}
            canBeAbsent={canBeAbsent}
            required={required}
            allowsNull={field.allowsNull}
            hasValues={field.kind !== "null"}
            disabled={disabled}
            startingValue={() => emptyValue(field, root)}
            onChange={change}
          />
        )}
      </FieldHeader>
      {hintsFirst && hints}
      {(!container || isOpen) && (
        <FieldBody
          {...{ field, control, pointer, name, value, faults, depth, raw }}
          clearable={canBeAbsent && !extra}
          onChange={change}
          onEditingRaw={setEditingRaw}
        />
      )}
      {!hintsFirst && hints}
      <FaultList id={`${id}-fault`} faults={shownFaults} withPath={beneath.length > 0} />
    </div>
  );
}

/** One place of the arguments. Drawn again only when its value, its faults or its place change. */
export const Field = memo(
  FieldView,
  (before, after) =>
    before.value === after.value &&
    before.faults.signature === after.faults.signature &&
    before.pointer === after.pointer &&
    before.schema === after.schema &&
    before.name === after.name &&
    before.depth === after.depth &&
    before.required === after.required &&
    before.extra === after.extra &&
    before.canBeAbsent === after.canBeAbsent &&
    before.actions === after.actions,
);

interface FieldHeaderProps {
  name: string;
  typeLabel: string;
  required: boolean;
  extra: boolean;
  control: FieldControl;
  /** Whether it is open; null where it cannot be folded. */
  open: boolean | null;
  onToggle: () => void;
  /** The name is the label of a control. False where the control is a button, which has a text of its own. */
  labels: boolean;
  /** The control for the value, or the word for an absent or null one. */
  children: ReactNode;
  actions: ReactNode;
}

function FieldHeader({
  name,
  typeLabel,
  required,
  extra,
  control,
  open,
  onToggle,
  labels,
  children,
  actions,
}: FieldHeaderProps) {
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div data-field-header className="mb-1 flex min-h-6 flex-wrap items-center gap-x-1.5">
      {open === null && labels && (
        <label id={`${control.id}-label`} htmlFor={control.id} className={NAME}>
          {name}
        </label>
      )}
      {open === null && !labels && (
        <span id={`${control.id}-label`} className={NAME}>
          {name}
        </span>
      )}
      {open !== null && (
        <button
          type="button"
          id={control.id}
          aria-expanded={open}
          aria-describedby={control["aria-describedby"]}
          onClick={onToggle}
          className={`-ml-1 flex min-h-6 max-sm:min-h-10 items-center gap-0.5 rounded-sm text-left ${NAME}`}
        >
          <Chevron size={15} className="shrink-0 text-mute" />
          <span id={`${control.id}-label`}>{name}</span>
        </button>
      )}
      <span className="max-w-full truncate font-mono text-2xs text-faint">{typeLabel}</span>
      {required && (
        <span className="font-medium text-2xs text-bad" title="Required">
          <span aria-hidden>•</span>
          <span className="sr-only">required</span>
        </span>
      )}
      {extra && (
        <Badge tone="warn" title="Not in the schema; sent as entered">
          extra
        </Badge>
      )}
      <span className="ml-auto flex items-center gap-0.5">
        {children}
        {actions}
      </span>
    </div>
  );
}

type ValueState = "omit" | "null" | "value";

function getState(value: JsonValue | undefined): ValueState {
  if (value === undefined) return "omit";
  return value === null ? "null" : "value";
}

interface StateControlProps {
  value: JsonValue | undefined;
  /** Id of the text that names the field. */
  describedBy: string;
  canBeAbsent: boolean;
  /** Whether it is required, and so cannot be omitted. */
  required: boolean;
  allowsNull: boolean;
  /** False where null is the only value there is. */
  hasValues: boolean;
  disabled: boolean;
  /** Returns the value for "value" when there was none before. */
  startingValue: () => JsonValue;
  onChange: (value: JsonValue | undefined) => void;
}

/** Omitted, null or a value: three different things to send. Going back to "Value" restores the last one. */
function StateControl(props: StateControlProps) {
  const { value, describedBy, canBeAbsent, required, allowsNull, hasValues, disabled, startingValue, onChange } = props;
  const name = useId();
  const last = useRef<JsonValue | undefined>(undefined);
  const current = getState(value);
  const states: ValueState[] = [
    ...(!required && (canBeAbsent || current === "omit") ? (["omit"] as const) : []),
    ...(allowsNull || current === "null" ? (["null"] as const) : []),
    ...(hasValues || current === "value" ? (["value"] as const) : []),
  ];
  if (states.length < 2) return null;

  const choose = (next: ValueState) => {
    if (next === current) return;
    if (current === "value") last.current = value;
    if (next === "omit") onChange(undefined);
    else onChange(next === "null" ? null : (last.current ?? startingValue()));
  };
  return (
    <div
      role="radiogroup"
      aria-label="Send as"
      aria-describedby={describedBy}
      data-reveal
      className={`flex shrink-0 items-center text-2xs text-faint ${REVEALED}`}
    >
      {states.map((state) => (
        <label
          key={state}
          className="relative flex h-6 cursor-pointer items-center justify-center rounded-sm px-1 max-sm:h-8 max-sm:min-w-10 has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent has-disabled:cursor-not-allowed not-has-checked:hover:text-text"
        >
          <input
            type="radio"
            name={name}
            value={state}
            checked={state === current}
            disabled={disabled}
            onChange={() => choose(state)}
            className="absolute inset-0 size-full cursor-[inherit] appearance-none opacity-0 max-sm:-top-1 max-sm:h-10"
          />
          {LABELS[state]}
        </label>
      ))}
    </div>
  );
}
