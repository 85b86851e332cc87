"use client";

import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { FieldProblems } from "@/app/_components/tools/editor/form-field";
import { Button } from "@/app/_ui/button";

export interface RowListProps {
  legend: string;
  /** The settings' key, shown as data. */
  dataKey: string;
  hint?: ReactNode;
  /** Of the list as a whole. */
  problems: readonly string[];
  addLabel: string;
  onAdd: () => void;
  children: ReactNode;
}

/** A list of rows under one heading, with a button that adds one. */
export function RowList({ legend, dataKey, hint, problems, addLabel, onAdd, children }: RowListProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        {legend}
        <span className="font-mono font-normal text-2xs text-faint">{dataKey}</span>
      </legend>
      {hint !== undefined && <p className="mb-1.5 text-mute text-xs">{hint}</p>}
      <div className="flex flex-col items-stretch gap-2">
        {children}
        <Button onClick={onAdd} className="self-start" data-add={dataKey}>
          <Plus aria-hidden size={13} strokeWidth={1.6} />
          {addLabel}
        </Button>
      </div>
      <FieldProblems id={`${dataKey}-list`} problems={problems} />
    </fieldset>
  );
}
