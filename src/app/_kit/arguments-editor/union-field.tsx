import { useRef, useState } from "react";
import { NativeSelect } from "@/app/_ui/field";
import type { JsonValue } from "@/lib/contract/json";
import { branchLabels } from "@/lib/schema/describe/branch-labels";
import { describeField, isContainer } from "@/lib/schema/describe/describe-field";
import { fitsField } from "@/lib/schema/describe/fits-field";
import { valueForBranch } from "@/lib/schema/describe/initial-values";
import { matchBranch } from "@/lib/schema/match-branch";
import { faultsBeneath } from "./fault-tree";
import { FaultList } from "./field-hints";
import type { FieldBodyProps } from "./field-props";
import { useArgumentsForm } from "./form-context";
import { RawField } from "./raw-field";

/**
 * Nested choices at one path; a choice that contains itself would repeat without end, so a deeper one is edited as
 * JSON.
 */
const MAX_CHOICES = 3;

/**
 * A choice of shapes. The branch is the one the user picked, else the one that the value fits best; while a user types
 * in a branch it stays, however the value changes. A branch that is picked again has its earlier contents.
 */
export function UnionField(props: FieldBodyProps) {
  const { field, control, pointer, value, faults, clearable, choices = 1, onChange } = props;
  const { root, FieldBody } = useArgumentsForm();
  const [picked, setPicked] = useState<number | null>(null);
  const [editingRaw, setEditingRaw] = useState(false);
  const [editingMisfit, setEditingMisfit] = useState(false);
  const held = useRef(new Map<number, JsonValue>());
  const hasValue = value !== undefined && (value !== null || picked !== null);
  const at = hasValue && !editingMisfit ? (picked ?? matchBranch(value, field.branches, root)) : -1;
  const branch = field.branches[at];
  const inner = branch === undefined ? null : describeField(branch, root);
  const labels = branchLabels(field.branches, root);

  const pick = (key: string) => {
    if (key === "absent") return onChange(undefined);
    const next = Number(key);
    const schema = field.branches[next];
    if (!/^\d+$/.test(key) || schema === undefined) return;
    if (at !== -1 && value !== undefined) held.current.set(at, value);
    setPicked(next);
    onChange(held.current.get(next) ?? valueForBranch(schema, value, root));
  };
  const state = value === undefined ? "absent" : at === -1 ? "none" : String(at);
  const isTooDeep = inner?.kind === "union" && choices >= MAX_CHOICES;
  const raw = inner !== null && (editingRaw || isTooDeep || inner.kind === "any" || !fitsField(inner, value));
  const editing = (now: boolean) => {
    setEditingRaw(now);
    if (now && at !== -1) setPicked(at);
  };
  // The inner control has the field's id where it is one control; a structure has none to give it to.
  const holdsId = inner === null || (!raw && isContainer(inner.kind) && value !== undefined && value !== null);
  const showsParts = inner !== null && !raw && (isContainer(inner.kind) || inner.kind === "union");
  return (
    <div className="space-y-1.5">
      <NativeSelect
        {...control}
        id={holdsId ? control.id : `${control.id}-variant`}
        aria-label={inner === null ? control["aria-label"] : `${control["aria-label"]} variant`}
        value={state}
        onChange={(event) => pick(event.target.value)}
      >
        {(clearable || state === "absent") && <option value="absent">Omitted</option>}
        {state === "none" && <option value="none">{value === null ? "null" : "Matches none"}</option>}
        {labels.map((label, index) => (
          <option key={label} value={String(index)}>
            {label}
          </option>
        ))}
      </NativeSelect>
      {inner !== null && (
        // Capture only notes that someone is at work in this branch; nothing is taken from the fields inside.
        <div onFocusCapture={() => setPicked(at)}>
          {inner.description !== null && (
            <p dir="auto" className="mb-1 text-mute text-xs">
              {inner.description}
            </p>
          )}
          {inner.constraints !== null && <p className="mb-1 font-mono text-2xs text-faint">{inner.constraints}</p>}
          <FieldBody {...props} field={inner} raw={raw} choices={choices + 1} onEditingRaw={editing} />
        </div>
      )}
      {inner === null && value !== undefined && value !== null && (
        <RawField
          control={{ ...control, id: `${control.id}-raw`, "aria-label": `${control["aria-label"]} as JSON` }}
          {...{ pointer, value, clearable }}
          onEditing={setEditingMisfit}
        />
      )}
      {!showsParts && <FaultList faults={faultsBeneath(faults)} withPath />}
    </div>
  );
}
