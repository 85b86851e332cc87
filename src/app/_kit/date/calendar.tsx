import { ChevronLeft, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useId } from "react";
import { flushSync } from "react-dom";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { listWeeks, moveByKey, shiftMonth } from "./read-date";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTH = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
const FULL_DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeZone: "UTC" });

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`);

interface CalendarProps {
  /** For the focus from elsewhere: the id of the day that has the place of the keyboard. */
  dayId: string;
  /** The day that has the place of the keyboard, whose month is shown. Days are `2026-11-29`. */
  day: string;
  /** The chosen day; null for none. */
  value: string | null;
  today: string;
  /** Days before and after these cannot be picked. */
  min?: string | null;
  max?: string | null;
  onMove: (day: string) => void;
  onPick: (day: string) => void;
}

/** A month of days. Arrows move by days and weeks, Home and End in the week, Page Up and Page Down by months, Enter picks. */
export function Calendar({ dayId, day, value, today, min, max, onMove, onPick }: CalendarProps) {
  const headId = useId();
  const month = day.slice(0, 7);
  const isOut = (each: string): boolean => (min != null && each < min) || (max != null && each > max);

  function onKeyDown(event: KeyboardEvent): void {
    const next = moveByKey(day, event.key, event.shiftKey);
    if (next === null) return;
    event.preventDefault();
    // The day may be in a month that is not rendered yet.
    flushSync(() => onMove(next));
    document.getElementById(dayId)?.focus();
  }

  return (
    <div className="p-2">
      <div className="flex items-center justify-between pb-1">
        <IconButton icon={ChevronLeft} label="Previous month" onClick={() => onMove(shiftMonth(day, -1))} />
        <p id={headId} aria-live="polite" className="font-medium text-sm">
          {MONTH.format(toDate(day))}
        </p>
        <IconButton icon={ChevronRight} label="Next month" onClick={() => onMove(shiftMonth(day, 1))} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of days is the grid of a calendar */}
      <table role="grid" aria-labelledby={headId} onKeyDown={onKeyDown} className="text-center text-xs tabular-nums">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name} className="h-6 font-normal text-faint">
                {name.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listWeeks(day).map((week) => (
            <tr key={week[0]}>
              {week.map((each) => (
                <td key={each} className="p-0">
                  <button
                    type="button"
                    id={each === day ? dayId : undefined}
                    tabIndex={each === day ? 0 : -1}
                    aria-label={FULL_DAY.format(toDate(each))}
                    aria-current={each === today ? "date" : undefined}
                    aria-pressed={each === value}
                    disabled={isOut(each) && each !== day}
                    aria-disabled={isOut(each) || undefined}
                    onClick={() => !isOut(each) && onPick(each)}
                    className={cx(
                      "size-8 rounded-md max-sm:size-10 disabled:cursor-not-allowed disabled:opacity-45 aria-disabled:opacity-45",
                      each === value ? "bg-text font-medium text-bg" : "hover:bg-line",
                      each !== value && each.slice(0, 7) !== month && "text-faint",
                      each !== value && each === today && "font-semibold text-accent",
                    )}
                  >
                    {Number(each.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
