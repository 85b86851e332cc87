import { Plus, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { FilterSelect } from "@/app/_kit/filter-select";
import { ListSearch, type ListSearchProps } from "@/app/_kit/list-search";
import { MultiSelect } from "@/app/_kit/multi-select";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart, onDemand } from "@/app/_ui/on-demand";
import { useTimeZone } from "@/app/_ui/time-zone";
import { type ChoiceCounts, type Choices, type FilterField, listFilterFields } from "./filter-field";
import type { ListFilter } from "./filters";
import { type TimeRange, toRangeEnds } from "./time-range";
import type { List } from "./use-list";

// Loaded in the browser: only it knows the user's time zone, and most visits use no custom range.
const CustomRange = onDemand(() => import("./custom-range"), "CustomRange");

const loadAddFilter = () => import("./add-filter");
const AddFilter = lazyPart(loadAddFilter, "AddFilter");

export interface ListBarProps {
  list: List;
  /** By the filter's name. A filter without choices of its own uses these. */
  choices?: Record<string, Choices | null | undefined>;
  /** The counts beside the choices. */
  counts?: ChoiceCounts | undefined;
  /** Called when a box of choices opens or closes. */
  onChoosing?: ((open: boolean) => void) | undefined;
  /** The filters that are not offered. */
  hidden?: readonly (string | false)[];
  className?: string;
  /** Content after the filters. */
  children?: ReactNode;
}

/** Search, time range, the filters that are set as chips, and a button that adds one. The order of the rows comes last. */
export function ListBar({ list, choices = {}, hidden = [], className, children, ...counted }: ListBarProps) {
  const { counts, onChoosing } = counted;
  const { filters, label, isFiltered, clear } = list;
  const bar = useRef<HTMLElement>(null);
  const names = Object.keys(filters).filter((name) => filters[name]?.label !== undefined && !hidden.includes(name));
  const fields = listFilterFields(list, choices, counts).filter(({ name }) => !hidden.includes(name));
  const set = fields.filter(({ value }) => value.length > 0);
  function remove(field: FilterField): void {
    field.change([]);
    bar.current?.querySelector<HTMLElement>("[data-adds]")?.focus();
  }
  return (
    <search ref={bar} aria-label={label} className={cx("flex flex-wrap gap-2", className)}>
      {names.map((name) => (
        <Field key={name} name={name} list={list} />
      ))}
      {set.map((field) => (
        <Chip key={field.name} field={field} onRemove={() => remove(field)} onChoosing={onChoosing} />
      ))}
      {fields.length > 0 && <AddFilterButton fields={fields} onChoosing={onChoosing} />}
      {isFiltered && (
        <Button size="md" variant="ghost" onClick={clear}>
          Clear filters
        </Button>
      )}
      {children}
      {names.map((name) => filters[name]?.isOrder && <Choice key={name} name={name} list={list} />)}
    </search>
  );
}

function AddFilterButton({
  fields,
  onChoosing,
}: { fields: readonly FilterField[] } & Pick<ListBarProps, "onChoosing">) {
  const trigger = (
    <Button icon={Plus} size="md" data-adds="" className="border-edge! border-dashed font-normal text-mute">
      Filter
    </Button>
  );
  return (
    <MenuOnDemand trigger={trigger} load={loadAddFilter} opens="dialog">
      <AddFilter fields={fields} trigger={trigger} onOpenChange={onChoosing} />
    </MenuOnDemand>
  );
}

interface ChipProps extends Pick<ListBarProps, "onChoosing"> {
  field: FilterField;
  onRemove: () => void;
}

/** A filter that is set: its value can be changed, and it can be removed. */
function Chip({ field: { name: _name, change, isToggle, ...field }, onRemove, onChoosing }: ChipProps) {
  const { label } = field;
  return (
    <span className="inline-flex min-w-0 max-w-full">
      {isToggle ? (
        <span className="flex h-8 items-center rounded-l-md border border-edge bg-panel px-3 text-sm">{label}</span>
      ) : (
        <MultiSelect {...field} onChange={change} onOpenChange={onChoosing} className="min-w-0 rounded-r-none" />
      )}
      <IconButton
        icon={X}
        label={`Remove filter ${label}`}
        onClick={onRemove}
        className="h-8! rounded-l-none border border-edge border-l-0 bg-panel"
      />
    </span>
  );
}

/** The fields that stand in the bar whether they are set or not. */
function Field({ name, list }: { name: string; list: List }) {
  const filter = list.filters[name];
  if (filter?.label === undefined) return null;
  const { label, placeholder = "" } = filter;
  if (filter.control === "range") return <TimeRangeField name={name} list={list} />;
  if (filter.control !== "search") return null;
  const search = { label, placeholder, value: String(list.params[name]), searchRef: list.searchRef };
  const change = (next: string): void => list.change({ [name]: next });
  if (filter.instant) return <ListSearch {...search} onChange={change} />;
  return <PausedSearch {...search} least={filter.least ?? 1} onChange={change} />;
}

interface ChoiceProps {
  name: string;
  list: List;
  onChange?: (next: string | null) => void;
}

/** A filter with few values, all visible. */
function Choice({ name, list, onChange = (next) => list.change({ [name]: next }) }: ChoiceProps) {
  const { label = "", any, className, values = [], words } = list.filters[name] as ListFilter;
  return (
    <FilterSelect
      label={label}
      any={any}
      className={className}
      onChange={onChange}
      value={list.params[name] as string | null}
      options={values}
      readText={(each) => words?.[each] ?? each}
    />
  );
}

/** Asks once typing pauses, or with Enter. */
function PausedSearch({ value, onChange, least, ...search }: Omit<ListSearchProps, "hint"> & { least: number }) {
  const { shown, type, commit } = usePausedDraft(value, onChange);
  const length = shown.trim().length;
  return (
    <ListSearch
      {...search}
      value={shown}
      onChange={type}
      onEnter={() => commit(shown)}
      hint={least > 1 && (length > 0 && length < least ? `Searches from ${least} characters on` : "")}
    />
  );
}

function TimeRangeField({ name, list }: { name: string; list: List }) {
  const { since, until } = list.params as { since: number | null; until: number | null };
  const zone = useTimeZone();
  const setRange = (next: string | null): void => {
    const range = next as TimeRange | null;
    // A custom range begins as the range before: there is something to edit.
    const before = (list.params[name] as TimeRange | null) ?? "today";
    const chosen = range === "custom" ? before : list.filters[name]?.startInAddress ? range : null;
    list.change({ range, ...toRangeEnds(chosen, Date.now(), zone) });
  };
  return (
    <>
      <Choice name={name} list={list} onChange={setRange} />
      {list.params[name] === "custom" && (
        <CustomRange since={since} until={until} onChange={(part) => list.change(part)} />
      )}
    </>
  );
}
