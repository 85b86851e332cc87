import { ArrowDown, ArrowUp, CopyPlus, Plus, X } from "lucide-react";
import { memo, useCallback, useMemo } from "react";
import { Button, IconButton } from "@/app/_ui/button";
import type { JsonValue } from "@/lib/contract/json";
import { childPointer, pointerToPath } from "@/lib/json/json-pointer";
import { describeField, type FieldDescription } from "@/lib/schema/describe/describe-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import type { SchemaNode } from "@/lib/schema/resolve-ref";
import { type ItemChange, useItemKeys } from "../use-item-keys";
import { type FaultNode, faultsBeneath, getChildFaults } from "./fault-tree";
import { FaultList } from "./field-hints";
import { focusSoon } from "./focus-field";
import { fieldId, useArgumentsForm } from "./form-context";

interface ArrayFieldProps {
  field: FieldDescription;
  pointer: string;
  value: JsonValue[];
  faults: FaultNode;
  depth: number;
}

interface ItemProps {
  array: string;
  index: number;
  isLast: boolean;
  schema: SchemaNode;
  extra: boolean;
  value: JsonValue;
  faults: FaultNode;
  depth: number;
  onItemChange: (change: ItemChange) => void;
}

const ArrayItem = memo(function ArrayItem(props: ItemProps) {
  const { array, index, isLast, schema, extra, value, faults, depth, onItemChange } = props;
  const { dispatch, disabled, idPrefix, Field } = useArgumentsForm();
  const pointer = childPointer(array, index);
  const actions = useMemo(() => {
    const path = pointerToPath(childPointer(array, index));
    const idAt = (at: number) => fieldId(idPrefix, childPointer(array, at));
    const move = (to: number, focus: "up" | "down") => {
      onItemChange({ type: "move", from: index, to });
      dispatch({ type: "move", pointer: array, from: index, to });
      focusSoon(`${idAt(to)}-${focus}`, `${idAt(to)}-remove`);
    };
    const duplicate = () => {
      onItemChange({ type: "insert", index: index + 1 });
      dispatch({ type: "duplicate", pointer: array, index });
      focusSoon(idAt(index + 1), `${idAt(index + 1)}-remove`);
    };
    const remove = () => {
      onItemChange({ type: "remove", index });
      dispatch({ type: "remove", pointer: array, index });
      focusSoon(`${idAt(index)}-remove`, `${idAt(index - 1)}-remove`, `${fieldId(idPrefix, array)}-add`);
    };
    const off = (unless: boolean) => disabled || unless;
    return (
      <>
        <IconButton
          icon={ArrowUp}
          id={`${idAt(index)}-up`}
          label={`Move ${path} up`}
          disabled={off(index === 0)}
          onClick={() => move(index - 1, "up")}
        />
        <IconButton
          icon={ArrowDown}
          id={`${idAt(index)}-down`}
          label={`Move ${path} down`}
          disabled={off(isLast)}
          onClick={() => move(index + 1, "down")}
        />
        <IconButton icon={CopyPlus} label={`Duplicate ${path}`} disabled={disabled} onClick={duplicate} />
        <IconButton
          icon={X}
          id={`${idAt(index)}-remove`}
          label={`Remove ${path}`}
          disabled={disabled}
          onClick={remove}
        />
      </>
    );
  }, [array, index, isLast, disabled, idPrefix, dispatch, onItemChange]);
  return (
    <Field name={`[${index}]`} {...{ pointer, schema, value, faults, depth, extra, actions }} canBeAbsent={false} />
  );
});

/** The schema of an element, and whether the schema has a place for it. */
function elementSchema(field: FieldDescription, index: number): { schema: SchemaNode; extra: boolean } {
  const schema = field.prefix[index] ?? field.items;
  return schema === false ? { schema: true, extra: true } : { schema, extra: false };
}

/** Lists and tuples: elements are added, removed, moved and duplicated, each with the schema of its position. */
export function ArrayField({ field, pointer, value, faults, depth }: ArrayFieldProps) {
  const { dispatch, root, disabled, idPrefix } = useArgumentsForm();
  const [keys, changeKeys] = useItemKeys(value.length);
  const onItemChange = useCallback((change: ItemChange) => changeKeys(change), [changeKeys]);
  const next = elementSchema(field, value.length);
  const path = pointerToPath(pointer);
  const add = () => {
    changeKeys({ type: "insert", index: value.length });
    const item = emptyValue(describeField(next.schema, root), root);
    dispatch({ type: "insert", pointer, index: value.length, value: item });
    focusSoon(fieldId(idPrefix, childPointer(pointer, value.length)));
  };
  return (
    <fieldset aria-label={path} className="min-w-0 space-y-3 border-line2 border-l pl-3">
      {value.map((item, index) => (
        <ArrayItem
          key={keys[index]}
          array={pointer}
          isLast={index === value.length - 1}
          {...{ index, onItemChange, ...elementSchema(field, index) }}
          value={item}
          faults={getChildFaults(faults, index)}
          depth={depth + 1}
        />
      ))}
      {value.length === 0 && <p className="text-mute text-xs">No elements.</p>}
      <FaultList faults={faultsBeneath(faults, (token) => Number(token) < value.length)} withPath />
      {!next.extra && (
        <Button
          icon={Plus}
          id={`${fieldId(idPrefix, pointer)}-add`}
          variant="ghost"
          disabled={disabled}
          onClick={add}
          className="-ml-2"
        >
          Add element<span className="sr-only"> to {path}</span>
        </Button>
      )}
    </fieldset>
  );
}
