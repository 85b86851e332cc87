"use client";

import { Pencil, X } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { IconButton } from "@/app/_ui/button";
import type { JsonValue } from "@/lib/contract/json";
import { childPointer, pointerToPath } from "@/lib/json/json-pointer";
import type { SchemaNode } from "@/lib/schema/resolve-ref";
import type { FaultNode } from "./fault-tree";
import { focusSoon } from "./focus-field";
import { fieldId, useArgumentsForm } from "./form-context";
import { NameForm } from "./property-name-form";

export interface KeyedEntryProps {
  name: string;
  parent: string;
  schema: SchemaNode;
  extra: boolean;
  value: JsonValue;
  faults: FaultNode;
  depth: number;
  taken: ReadonlySet<string>;
}

/** A key that is there because someone put it there: of a map, or one the schema does not know. */
export const KeyedEntry = memo(function KeyedEntry(props: KeyedEntryProps) {
  const { name, parent, schema, extra, value, faults, depth, taken } = props;
  const { dispatch, disabled, idPrefix, Field } = useArgumentsForm();
  const [renaming, setRenaming] = useState(false);
  const pointer = childPointer(parent, name);
  const path = pointerToPath(pointer);
  const actions = useMemo(
    () => (
      <>
        <IconButton
          icon={Pencil}
          id={`${fieldId(idPrefix, pointer)}-rename`}
          label={`Rename ${path}`}
          disabled={disabled}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          icon={X}
          label={`Remove ${path}`}
          disabled={disabled}
          onClick={() => {
            dispatch({ type: "unset", pointer });
            focusSoon(`${fieldId(idPrefix, parent)}-add`, fieldId(idPrefix, parent));
          }}
        />
      </>
    ),
    [path, pointer, parent, disabled, dispatch, idPrefix],
  );
  return (
    <div>
      <Field {...{ name, pointer, schema, value, faults, depth, extra, actions }} canBeAbsent={false} />
      {renaming && (
        <NameForm
          label={`New name for ${path}`}
          submitLabel="Rename"
          initial={name}
          taken={taken}
          onCancel={() => {
            setRenaming(false);
            focusSoon(`${fieldId(idPrefix, pointer)}-rename`);
          }}
          onSubmit={(to) => {
            setRenaming(false);
            dispatch({ type: "rename", pointer: parent, from: name, to });
            focusSoon(fieldId(idPrefix, childPointer(parent, to)));
          }}
        />
      )}
    </div>
  );
});
