import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";

export interface MultiSelectProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string; mono?: boolean }[];
  value: readonly T[];
  onChange: (value: T[]) => void;
}

type ButtonProps = Omit<ComponentProps<typeof Button>, "value"> &
  Pick<MultiSelectProps<string>, "label" | "options" | "value">;

/** Says what is chosen: nothing, the one, or how many. */
export function MultiSelectButton({ label, options, value, ...native }: ButtonProps) {
  const only = value.length === 1 ? options.find((option) => option.value === value[0]) : undefined;
  const summary = value.length === 0 ? null : (only?.label ?? String(value.length));
  return (
    <Button {...native} size="md" className={cx("max-w-56 border-edge! font-normal", summary === null && "text-mute")}>
      {label}
      {summary !== null && <span className="min-w-0 truncate font-medium">{summary}</span>}
      <ChevronDown aria-hidden size={15} strokeWidth={1.6} className="shrink-0" />
    </Button>
  );
}
