import { Plus, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button, IconButton } from "@/app/_ui/button";
import { findFirstField } from "@/app/_ui/field";
import { FieldProblems } from "../form-field";
import { useItemKeys } from "../use-item-keys";

export interface EditableRow<Row> {
  row: Row;
  at: number;
  set: (row: Row) => void;
  edit: (part: Partial<Row>) => void;
  remove: () => void;
}

interface RowListProps<Row> {
  legend: string;
  /** The settings' key, shown as data. */
  dataKey: string;
  hint?: ReactNode;
  /** The problems of the list as a whole. */
  problems: readonly string[];
  addLabel: string;
  rows: readonly Row[];
  newRow: () => Row;
  onChange: (rows: Row[]) => void;
  children: (editable: EditableRow<Row>) => ReactNode;
}

/** A list of rows under one heading, with a button that adds one. */
export function RowList<Row>(props: RowListProps<Row>) {
  const { legend, dataKey, hint, problems, addLabel, rows, newRow, onChange, children } = props;
  const [keys, changeKeys] = useItemKeys(rows.length);
  const list = useRef<HTMLFieldSetElement>(null);
  /** The row's first field once the page shows it; without rows, the button that adds one. */
  const focusRow = (at: number): void => {
    requestAnimationFrame(() => {
      const row = list.current?.querySelectorAll(":scope > div > ol > li")[at] ?? list.current;
      (findFirstField(row ?? null) ?? row?.querySelector<HTMLElement>("button"))?.focus();
    });
  };
  const toEditable = (row: Row, at: number): EditableRow<Row> => ({
    row,
    at,
    set: (next) => onChange(rows.with(at, next)),
    edit: (part) => onChange(rows.with(at, { ...row, ...part })),
    remove: () => {
      changeKeys({ type: "remove", index: at });
      onChange(rows.toSpliced(at, 1));
      focusRow(Math.max(0, at - 1));
    },
  });
  function add() {
    changeKeys({ type: "insert", index: rows.length });
    onChange([...rows, newRow()]);
    focusRow(rows.length);
  }
  return (
    <fieldset ref={list} className="min-w-0">
      <legend title={dataKey} className="mb-1 font-medium">
        {legend}
      </legend>
      {hint !== undefined && <p className="mb-1.5 text-mute text-xs">{hint}</p>}
      <div className="flex flex-col items-stretch gap-2">
        {rows.length > 0 && (
          <ol className="flex flex-col gap-2">
            {rows.map((row, at) => (
              <li key={keys[at]}>{children(toEditable(row, at))}</li>
            ))}
          </ol>
        )}
        <Button icon={Plus} onClick={add} className="self-start" data-add={dataKey}>
          {addLabel}
        </Button>
      </div>
      <FieldProblems id={`${dataKey}-list`} problems={problems} />
    </fieldset>
  );
}

export function RemoveRow({ label, onRemove, className }: { label: string; onRemove: () => void; className?: string }) {
  return <IconButton icon={X} label={label} onClick={onRemove} className={className} />;
}
