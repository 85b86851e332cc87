"use client";

import { ArrowDown } from "lucide-react";
import { Segmented } from "@/app/_ui/segmented";
import type { Fault } from "@/lib/contract";
import type { ArgumentsMode } from "./arguments-state";

const MODES = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

export interface EditorHeaderProps {
  mode: ArgumentsMode;
  faults: readonly Fault[];
  onModeChange: (mode: ArgumentsMode) => void;
  /** Goes to the next faulty place, around and around. */
  onNextFault: () => void;
}

export function EditorHeader({ mode, faults, onModeChange, onNextFault }: EditorHeaderProps) {
  const count = faults.length === 1 ? "1 problem" : `${faults.length} problems`;
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-2">
      <h2 className="font-medium text-sm">Arguments</h2>
      {faults.length > 0 && (
        <button
          type="button"
          onClick={onNextFault}
          className="inline-flex h-6 items-center gap-1 rounded-md bg-bad-bg px-1.5 font-medium text-bad text-xs hover:underline"
        >
          {count}
          <ArrowDown aria-hidden size={15} strokeWidth={1.6} />
          <span className="sr-only">, go to the next</span>
        </button>
      )}
      <Segmented label="Edit as" value={mode} options={MODES} onChange={onModeChange} className="ml-auto" />
    </header>
  );
}
