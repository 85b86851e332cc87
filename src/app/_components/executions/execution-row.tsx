import { Pin } from "lucide-react";
import Link from "next/link";
import type { KeyboardEvent } from "react";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ExecutionSummary } from "@/lib/contract";
import { formatBytes, formatDuration } from "@/lib/format";
import { executionOrigin } from "./execution-origin";

/** 24 px to hit (WCAG 2.2), 16 px to see. */
const CHECKBOX = cx(
  "relative block size-6 cursor-pointer appearance-none rounded-sm",
  "before:absolute before:inset-1 before:rounded-xs before:border before:border-edge before:bg-panel checked:before:border-accent checked:before:bg-accent",
  "after:absolute after:top-1.75 after:left-[9px] after:hidden after:h-2 after:w-1.25 after:rotate-45 after:border-panel after:border-r-2 after:border-b-2 checked:after:block",
);

export interface RowActions {
  onPeek: (id: string) => void;
  onToggleSelected: (id: string) => void;
  onTogglePinned: (row: ExecutionSummary) => void;
  onFocusRow: (id: string) => void;
  onRowKey: (event: KeyboardEvent, row: ExecutionSummary) => void;
}

export interface ExecutionRowProps extends RowActions {
  row: ExecutionSummary;
  /** The row that the keys mean; it and its controls are the list's only tab stops. */
  current: boolean;
  peeked: boolean;
  selected: boolean;
  withoutTool: boolean;
}

export function ExecutionRow(props: ExecutionRowProps) {
  const { row, current, peeked, selected, withoutTool, onPeek, onFocusRow, onRowKey } = props;
  const tabIndex = current ? 0 : -1;
  return (
    <tr
      data-execution={row.id}
      tabIndex={tabIndex}
      onFocus={() => onFocusRow(row.id)}
      onKeyDown={(event) => onRowKey(event, row)}
      onClick={(event) => {
        // Controls inside the row have a meaning of their own, and so has the end of a text selection.
        if (event.target instanceof Element && event.target.closest("a, button, input, label")) return;
        if (window.getSelection()?.isCollapsed === false) return;
        onPeek(row.id);
      }}
      className={cx(
        "-outline-offset-2 cursor-pointer border-line border-b hover:bg-rail",
        peeked && "bg-accent-bg",
        selected && "bg-accent-bg shadow-[inset_2px_0_0_var(--color-accent)]",
      )}
    >
      <RowControls {...props} tabIndex={tabIndex} />
      <td className="w-28 px-2">
        <StatusBadge status={row.status} {...(row.errorKind === "invalid_arguments" ? { label: "invalid" } : {})} />
      </td>
      <td className="max-w-44 truncate px-2 max-sm:w-full max-sm:max-w-0 max-sm:py-1.5">
        <Link
          href={`/executions/${row.id}`}
          tabIndex={tabIndex}
          className="font-mono text-xs hover:underline max-sm:block max-sm:truncate"
          aria-label={`${row.toolName}, ${row.id}`}
        >
          {withoutTool ? row.id : row.toolName}
        </Link>
        <div className="truncate font-mono text-2xs text-mute sm:hidden">{row.argumentsPreview}</div>
      </td>
      <td className="w-full max-w-0 truncate px-2 font-mono text-mute text-xs max-sm:hidden">
        {row.errorPreview === null ? (
          row.argumentsPreview
        ) : (
          <>
            {row.argumentsPreview} <span className="text-bad">{row.errorPreview}</span>
          </>
        )}
      </td>
      <td className="max-w-48 truncate px-2 max-lg:hidden">{executionOrigin(row)}</td>
      <td className="max-w-36 truncate px-2 text-mute max-xl:hidden">{row.actor.name}</td>
      <td className="px-2 text-mute">
        <RelativeTime at={row.queuedAt} />
      </td>
      <td className="px-2 text-right font-mono text-xs tabular-nums max-sm:hidden">
        {formatDuration(row.executionTimeMs)}
      </td>
      <td className="px-2 pr-4 text-right font-mono text-mute text-xs tabular-nums max-md:hidden">
        {formatBytes(row.resultBytes)}
      </td>
    </tr>
  );
}

function RowControls({
  row,
  selected,
  tabIndex,
  onToggleSelected,
  onTogglePinned,
}: ExecutionRowProps & { tabIndex: number }) {
  return (
    <>
      <td className="w-8 pl-4">
        <input
          type="checkbox"
          className={CHECKBOX}
          aria-label={`Select ${row.toolName} ${row.id} for comparison`}
          checked={selected}
          tabIndex={tabIndex}
          onChange={() => onToggleSelected(row.id)}
        />
      </td>
      <td className="w-8 max-sm:hidden">
        <IconButton
          label={row.pinned ? "Unpin" : "Pin"}
          aria-pressed={row.pinned}
          className="align-middle"
          tabIndex={tabIndex}
          onClick={() => onTogglePinned(row)}
        >
          <Pin aria-hidden size={15} strokeWidth={1.6} className={row.pinned ? "fill-current" : "text-faint"} />
        </IconButton>
      </td>
    </>
  );
}
