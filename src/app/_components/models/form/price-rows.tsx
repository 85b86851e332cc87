"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { FieldProblems } from "@/app/_components/tools/editor/form-field";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import type { PriceRow } from "./provider-draft";

export interface PriceRowsProps {
  prices: readonly PriceRow[];
  problems: readonly string[];
  onChange: (prices: PriceRow[]) => void;
}

const PARTS = [
  { part: "model", label: "Model" },
  { part: "input", label: "Input" },
  { part: "output", label: "Output" },
  { part: "cachedInput", label: "Cached input" },
] as const;

/** Prices of models, for what runs cost. Nobody tells them to a program, so people write them down. */
export function PriceRows({ prices, problems, onChange }: PriceRowsProps) {
  const id = useId();
  const add = () => {
    const next = Math.max(-1, ...prices.map((row) => row.id)) + 1;
    onChange([...prices, { id: next, model: "", input: "", output: "", cachedInput: "" }]);
  };
  const change = (row: PriceRow, part: Partial<PriceRow>) =>
    onChange(prices.map((each) => (each.id === row.id ? { ...each, ...part } : each)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        Prices
        <span className="font-mono font-normal text-2xs text-faint">prices</span>
      </legend>
      <p className="mb-1.5 text-mute text-xs">
        US dollars for a million tokens. Runs of a model without prices show tokens only.
      </p>
      <div className="flex flex-col gap-2">
        {prices.map((row, at) => (
          <div key={row.id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
            <div className="grid grid-cols-3 gap-2 sm:grid-cols-[minmax(8rem,1fr)_repeat(3,6rem)]">
              {PARTS.map(({ part, label }) => (
                <div key={part} className={cx("min-w-0", part === "model" && "max-sm:col-span-3")}>
                  <label htmlFor={`${id}-${row.id}-${part}`} className="text-mute text-xs">
                    {label}
                    <span className="sr-only"> of price {at + 1}</span>
                  </label>
                  <Input
                    id={`${id}-${row.id}-${part}`}
                    inputMode={part === "model" ? undefined : "decimal"}
                    value={row[part]}
                    spellCheck={false}
                    autoCapitalize="off"
                    autoComplete="off"
                    className="font-mono text-xs!"
                    onChange={({ target }) => change(row, { [part]: target.value })}
                  />
                </div>
              ))}
            </div>
            <IconButton
              className="mt-5"
              label={`Remove price ${at + 1}`}
              onClick={() => onChange(prices.filter((each) => each.id !== row.id))}
            >
              <X aria-hidden size={15} strokeWidth={1.6} />
            </IconButton>
          </div>
        ))}
        <Button onClick={add} className="self-start">
          <Plus aria-hidden size={13} strokeWidth={1.6} />
          Add price
        </Button>
      </div>
      <FieldProblems id={`${id}-prices`} problems={problems} />
    </fieldset>
  );
}
