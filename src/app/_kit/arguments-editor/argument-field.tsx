"use client";

import { memo, useCallback, useState } from "react";
import type { JsonValue } from "@/lib/contract/json";
import { pointerToPath } from "@/lib/json/json-pointer";
import { describeField, isContainer } from "@/lib/schema/describe/describe-field";
import { fitsField } from "@/lib/schema/describe/fits-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import { listChoices } from "./check-list";
import { faultsBeneath, isError } from "./fault-tree";
import { FieldBody } from "./field-body";
import type { FieldControl } from "./field-control";
import { FieldHeader } from "./field-header";
import { FaultList, FieldHints, hasHints } from "./field-hints";
import type { FieldProps } from "./field-props";
import { fieldId, useArgumentsForm } from "./form-context";
import { StateControl } from "./state-control";

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
  // A key may be the empty text, which is no name to read or to hear.
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
  // Hints that describe children stand above them.
  const hintsFirst = structure || field.kind === "union";
  return (
    <div data-pointer={pointer} className="min-w-0">
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
        {(!isAnswer || structure || field.allowsNull) && (
          <StateControl
            value={value}
            describedBy={`${id}-label`}
            canBeAbsent={canBeAbsent}
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
