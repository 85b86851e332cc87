import type { ReactNode } from "react";
import { ListBar } from "@/app/_kit/list/list-bar";
import type { List } from "@/app/_kit/list/use-list";
import { PauseButton } from "@/app/_kit/pause-button";
import { formatCount, formatPlural } from "@/lib/format";

interface RecordBarProps {
  list: List;
  /** The noun of the rows, as in "3 of 12 lines". */
  noun: string;
  matching: number;
  total: number;
  paused: boolean;
  onToggle: () => void;
  resumeLabel: string;
  children?: ReactNode;
}

/** Filters of what a server sends, a pause, and how much matches. */
export function RecordBar({ list, noun, matching, total, paused, onToggle, resumeLabel, children }: RecordBarProps) {
  return (
    <ListBar list={list} className="shrink-0 items-center border-line border-b px-4 py-2">
      <PauseButton size="md" paused={paused} onToggle={onToggle} resumeLabel={resumeLabel} />
      {children}
      <p role="status" className="text-mute text-xs">
        {matching === total ? formatPlural(total, noun) : `${formatCount(matching)} of ${formatPlural(total, noun)}`}
      </p>
    </ListBar>
  );
}
