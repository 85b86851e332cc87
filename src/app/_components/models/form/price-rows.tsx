"use client";

import { useId } from "react";
import { RemoveRow, RowList } from "@/app/_kit/form/row-list";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { NEW_PRICE, type PriceRow } from "./provider-fields";

export interface PriceRowsProps {
  prices: readonly PriceRow[];
  problems: readonly string[];
  onChange: (prices: readonly PriceRow[]) => void;
}

const PARTS = [
  { part: "model", label: "Model" },
  { part: "input", label: "Input" },
  { part: "output", label: "Output" },
  { part: "cachedInput", label: "Cached input" },
] as const;

/** Prices of models, for the cost of runs. Providers have no API for prices, so people enter them. */
export function PriceRows({ prices, problems, onChange }: PriceRowsProps) {
  const id = useId();
  return (
    <RowList
      legend="Prices"
      dataKey="prices"
      hint="US dollars per million tokens. Runs of a model without prices show tokens only."
      problems={problems}
      addLabel="Add price"
      rows={prices}
      newRow={() => NEW_PRICE}
      onChange={onChange}
    >
      {({ row, at, edit, remove }) => (
        <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
          <div className="grid grid-cols-3 gap-2 sm:grid-cols-[minmax(8rem,1fr)_repeat(3,6rem)]">
            {PARTS.map(({ part, label }) => (
              <div key={part} className={cx("min-w-0", part === "model" && "max-sm:col-span-3")}>
                <label htmlFor={`${id}-${at}-${part}`} className="text-mute text-xs">
                  {label}
                  <span className="sr-only"> of price {at + 1}</span>
                </label>
                <Input
                  id={`${id}-${at}-${part}`}
                  inputMode={part === "model" ? undefined : "decimal"}
                  value={row[part]}
                  spellCheck={false}
                  autoCapitalize="off"
                  autoComplete="off"
                  className="font-mono text-xs!"
                  onChange={({ target }) => edit({ [part]: target.value })}
                />
              </div>
            ))}
          </div>
          <RemoveRow className="mt-5" label={`Remove price ${at + 1}`} onRemove={remove} />
        </div>
      )}
    </RowList>
  );
}
