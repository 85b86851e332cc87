"use client";

import { ArrowDown } from "lucide-react";
import { Segmented } from "@/app/_ui/segmented";
import type { Fault } from "@/lib/contract/envelope";
import type { ArgumentsMode } from "./arguments-state";
import { isError } from "./fault-tree";

export interface EditorHeaderProps {
  mode: ArgumentsMode;
  /** Why there is no form; null where there is one. */
  formLimit: string | null;
  faults: readonly Fault[];
  onModeChange: (mode: ArgumentsMode) => void;
  /** Goes to the next faulty place, around and around. */
  onNextFault: () => void;
}

export function EditorHeader({ mode, formLimit, faults, onModeChange, onNextFault }: EditorHeaderProps) {
  const modes = [
    { value: "form", label: "Form", disabled: formLimit !== null },
    { value: "json", label: "JSON" },
  ] as const;
  const errors = faults.filter(isError).length;
  const [number, word] = errors > 0 ? [errors, "problem"] : [faults.length, "warning"];
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-2">
      <h2 className="font-medium text-sm">Arguments</h2>
      {faults.length > 0 && (
        <button
          type="button"
          onClick={onNextFault}
          className={`inline-flex h-6 items-center gap-1 rounded-md px-1.5 font-medium text-xs hover:underline ${errors > 0 ? "bg-bad-bg text-bad" : "bg-warn-bg text-warn"}`}
        >
          {`${number} ${word}${number === 1 ? "" : "s"}`}
          <ArrowDown aria-hidden size={15} strokeWidth={1.6} />
          <span className="sr-only">, go to next</span>
        </button>
      )}
      <Segmented label="Edit as" value={mode} options={modes} onChange={onModeChange} className="ml-auto" />
      {formLimit !== null && <p className="w-full text-mute text-xs">{formLimit}</p>}
    </header>
  );
}
