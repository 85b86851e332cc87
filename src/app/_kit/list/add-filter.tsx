import { Popover } from "radix-ui";
import { type ReactElement, useState } from "react";
import { OptionBox, OptionList, pickOption, useOpenState } from "@/app/_kit/option-list";
import type { FilterField } from "./filter-field";

interface AddFilterProps {
  fields: readonly FilterField[];
  trigger: ReactElement;
  onOpenChange?: ((open: boolean) => void) | undefined;
}

/** Picks a filter, then its value, in one place; open at first. */
export function AddFilter({ fields, trigger, onOpenChange }: AddFilterProps) {
  const [open, setOpen] = useOpenState(onOpenChange);
  const [name, setName] = useState<string | null>(null);
  const field = fields.find((each) => each.name === name);
  const move = (next: boolean): void => {
    setOpen(next);
    if (next) setName(null);
  };
  function pickField(picked: string): void {
    const chosen = fields.find((each) => each.name === picked);
    if (!chosen?.isToggle) return void setName(picked);
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
