import { useId } from "react";
import { NativeSelect } from "@/app/_ui/field";
import type { CallRule } from "@/lib/contract/call-rule";

interface PositionFieldProps {
  rules: readonly CallRule[];
  /** The position of the rule that decided the call from which this one is made. */
  decider: number | undefined;
  /** The position, from 1; undefined for the last one. */
  value: number | undefined;
  onChange: (position: number | undefined) => void;
}

/** Chooses the position of a new rule, since the first rule that matches decides. */
export function PositionField({ rules, decider, value, onChange }: PositionFieldProps) {
  const id = useId();
  const name = rules.find(({ position }) => position === decider)?.name;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium text-xs">
        Tried
      </label>
      <NativeSelect
        id={id}
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
        options={[
          ["", "After the other rules"],
          ...(decider !== undefined && decider > 1
            ? [[decider, `Before ${name}, which decided the call`] as const]
            : []),
          [1, "Before the other rules"],
        ]}
      />
    </div>
  );
}
