import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";

export interface Option<T extends string = string> {
  value: T;
  label: string;
  mono?: boolean;
  /** The number of rows that it would find. */
  count?: string;
}

/** Options that the server finds for what is typed. */
export interface OptionSearch {
  onType: (typed: string) => void;
  /** The options do not belong to what is typed yet. */
  isBusy: boolean;
  /** The server may know more than the options. */
  hasMore: boolean;
}

export interface MultiSelectProps<T extends string> {
  label: string;
  options: readonly Option<T>[];
  value: readonly T[];
  onChange: (value: T[]) => void;
  /** At most one value; picking it closes the list. */
  single?: boolean;
  /** Absent: the options are all there are. */
  search?: OptionSearch | undefined;
  /** The button does not say what is chosen. */
  quiet?: boolean;
  className?: string;
  onOpenChange?: ((open: boolean) => void) | undefined;
}

type ButtonProps = Omit<ComponentProps<typeof Button>, "value"> &
  Pick<MultiSelectProps<string>, "label" | "options" | "value" | "quiet">;

/** Names the choice: nothing, the one, or the number of them. */
export function MultiSelectButton({ label, options, value, quiet = false, className, ...native }: ButtonProps) {
  const only = value.length === 1 ? options.find((option) => option.value === value[0]) : undefined;
  const summary = quiet || value.length === 0 ? null : (only?.label ?? String(value.length));
  return (
    <Button
      {...native}
      size="md"
      className={cx("max-w-56 border-edge! font-normal", summary === null && "text-mute", className)}
    >
      {label}
      {summary !== null && <span className="min-w-0 truncate font-medium">{summary}</span>}
      <ChevronDown size={15} className="shrink-0" />
    </Button>
  );
}
