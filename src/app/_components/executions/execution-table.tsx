import type { ExecutionSummary } from "@/lib/contract";
import { ExecutionRow, type RowActions } from "./execution-row";

export interface ExecutionTableProps extends RowActions {
  rows: readonly ExecutionSummary[];
  currentId: string | null;
  peekedId: string | null;
  selectedIds: readonly string[];
  withoutTool: boolean;
}

const HEAD =
  "sticky top-0 z-10 bg-panel shadow-[inset_0_-1px_0_var(--color-line)] px-2 py-1.5 text-left font-medium text-faint text-xs";

export function ExecutionTable({
  rows,
  currentId,
  peekedId,
  selectedIds,
  withoutTool,
  ...actions
}: ExecutionTableProps) {
  return (
    <table aria-label="Executions" className="w-full text-sm leading-8">
      <thead>
        <tr className="whitespace-nowrap">
          <th scope="col" className={`${HEAD} pl-4`}>
            <span className="sr-only">Selected</span>
          </th>
          <th scope="col" className={`${HEAD} max-sm:hidden`}>
            <span className="sr-only">Pinned</span>
          </th>
          <th scope="col" className={HEAD}>
            State
          </th>
          <th scope="col" className={HEAD}>
            {withoutTool ? "Id" : "Tool"}
          </th>
          <th scope="col" className={`${HEAD} max-sm:hidden`}>
            Arguments
          </th>
          <th scope="col" className={`${HEAD} max-lg:hidden`}>
            From
          </th>
          <th scope="col" className={`${HEAD} max-xl:hidden`}>
            Who
          </th>
          <th scope="col" className={HEAD}>
            When
          </th>
          <th scope="col" className={`${HEAD} text-right max-sm:hidden`}>
            Time
          </th>
          <th scope="col" className={`${HEAD} pr-4 text-right max-md:hidden`}>
            Size
          </th>
        </tr>
      </thead>
      <tbody className="whitespace-nowrap">
        {rows.map((row) => (
          <ExecutionRow
            key={row.id}
            row={row}
            current={row.id === currentId}
            peeked={row.id === peekedId}
            selected={selectedIds.includes(row.id)}
            withoutTool={withoutTool}
            {...actions}
          />
        ))}
      </tbody>
    </table>
  );
}
