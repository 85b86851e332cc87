"use client";

import { Popover } from "radix-ui";
import { type ReactElement, useState } from "react";
import { OptionBox, OptionList, pickOption } from "@/app/_kit/option-list";
import type { FilterField } from "./filter-field";

/** Picks a filter, then its value, in one place; open at first. */
export function AddFilter({ fields, trigger }: { fields: readonly FilterField[]; trigger: ReactElement }) {
  const [open, setOpen] = useState(true);
  const [name, setName] = useState<string | null>(null);
  const field = fields.find((each) => each.name === name);
  const move = (next: boolean): void => {
    setOpen(next);
    if (next) setName(null);
  };
  function pickField(picked: string): void {
    const chosen = fields.find((each) => each.name === picked);
    if (chosen?.options.length !== 0) return void setName(picked);
    chosen.change(["on"]);
    move(false);
  }
  function pickValue({ value, single, change }: FilterField, option: string): void {
    change(pickOption(value, option, single));
    if (single) move(false);
  }
  return (
    <Popover.Root open={open} onOpenChange={move}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <OptionBox label={field?.label ?? "Filters"}>
        {field === undefined ? (
          <OptionList
            label="Filters"
            options={fields
              .filter(({ value }) => value.length === 0)
              .map((each) => ({ value: each.name, label: each.label }))}
            value={[]}
            single
            onPick={pickField}
          />
        ) : (
          <OptionList key={name} {...field} onPick={(option) => pickValue(field, option)} />
        )}
      </OptionBox>
    </Popover.Root>
  );
}
