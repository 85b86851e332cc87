"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "@/app/_ui/badge";
import type { FieldControl } from "./field-control";

export interface FieldHeaderProps {
  name: string;
  typeLabel: string;
  required: boolean;
  extra: boolean;
  control: FieldControl;
  /** Null for what cannot be folded. */
  open: boolean | null;
  onToggle: () => void;
  /** Whether the name is the label of a control; a button names itself. */
  labels: boolean;
  /** Where the value stands: absent, null or there. */
  children: ReactNode;
  actions: ReactNode;
}

const NAME = "min-w-0 font-medium text-sm [overflow-wrap:anywhere]";

export function FieldHeader({
  name,
  typeLabel,
  required,
  extra,
  control,
  open,
  onToggle,
  labels,
  children,
  actions,
}: FieldHeaderProps) {
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="mb-1 flex min-h-6 flex-wrap items-center gap-x-1.5">
      {open === null && labels && (
        <label id={`${control.id}-label`} htmlFor={control.id} className={NAME}>
          {name}
        </label>
      )}
      {open === null && !labels && (
        <span id={`${control.id}-label`} className={NAME}>
          {name}
        </span>
      )}
      {open !== null && (
        <button
          type="button"
          id={control.id}
          aria-expanded={open}
          aria-describedby={control["aria-describedby"]}
          onClick={onToggle}
          className={`-ml-1 flex min-h-6 max-sm:min-h-10 items-center gap-0.5 rounded-sm text-left ${NAME}`}
        >
          <Chevron aria-hidden size={15} strokeWidth={1.6} className="shrink-0 text-mute" />
          <span id={`${control.id}-label`}>{name}</span>
        </button>
      )}
      <span className="max-w-full truncate font-mono text-2xs text-faint">{typeLabel}</span>
      {required && (
        <span className="font-medium text-2xs text-bad" title="Required">
          <span aria-hidden>•</span>
          <span className="sr-only">required</span>
        </span>
      )}
      {extra && (
        <Badge tone="warn" title="Not in the schema; sent as entered">
          extra
        </Badge>
      )}
      <span className="ml-auto flex items-center gap-0.5">
        {children}
        {actions}
      </span>
    </div>
  );
}
