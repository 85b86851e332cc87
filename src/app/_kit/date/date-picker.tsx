import { CalendarDays } from "lucide-react";
import type { ComponentProps, ReactElement } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import { useTimeZone } from "@/app/_ui/time-zone";
import { formatDate } from "@/lib/format";
import type { DateChoice } from "./date-choice";
import { writeInstant } from "./read-date";

const load = () => import("./date-box");
const DateBox = lazyPart(load, "DateBox");

/** A date in the viewer's time zone, from a calendar or typed: `2026-11-29 14:00`, `yesterday`, `7d`. Only a button until it is pressed. */
export function DatePicker({ trigger, ...choice }: DateChoice & { trigger: ReactElement }) {
  return (
    <MenuOnDemand trigger={trigger} load={load} opens="dialog">
      <DateBox {...choice} trigger={trigger} />
    </MenuOnDemand>
  );
}

type DateButtonProps = Pick<DateChoice, "label" | "by" | "value"> & Omit<ComponentProps<typeof Button>, "value">;

/** The trigger that shows the date; its name states which one. */
export function DateButton({ label, by, value, className, ...native }: DateButtonProps) {
  const zone = useTimeZone();
  const text = value === null ? null : by === "day" ? formatDate(value, zone) : writeInstant(value, zone);
  return (
    <Button
      {...native}
      size="md"
      icon={CalendarDays}
      title={`Time zone: ${zone}`}
      className={cx("border-edge! font-normal", className)}
    >
      <span className="text-mute">{label}</span>
      {text !== null && (
        <span className="font-medium tabular-nums" suppressHydrationWarning>
          {text}
        </span>
      )}
    </Button>
  );
}
