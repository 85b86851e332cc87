import { Popover } from "radix-ui";
import { type FormEvent, type KeyboardEvent, type ReactElement, useId, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import { useTimeZone } from "@/app/_ui/time-zone";
import { formatDate, formatZoneOffset, getDayBounds, toInstant, toLocalIso } from "@/lib/format";
import { Calendar } from "./calendar";
import type { DateChoice } from "./date-choice";
import { readDate, writeInstant } from "./read-date";

const EXAMPLES = { day: ["2026-11-29", "yesterday", "7d"], instant: ["2026-11-29 14:00", "yesterday", "7d"] };

/** The box of a pressed `DatePicker`: open at first. */
export function DateBox({ trigger, ...choice }: DateChoice & { trigger: ReactElement }) {
  const [open, setOpen] = useState(true);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={choice.label}
          className="z-50 max-h-(--radix-popover-content-available-height) overflow-y-auto rounded-lg border border-line2 bg-panel text-text shadow-pop"
        >
          <DateForm {...choice} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The text field and the calendar edit one date: a change in one updates the other. */
function DateForm({ label, by, value, edge = "start", min, max, onPick, clearable, onDone }: DateFormProps) {
  const zone = useTimeZone();
  const id = useId();
  // A box is open for a moment: what is ago is counted from its beginning.
  const [now] = useState(() => Date.now());
  const write = (at: number): string => (by === "day" ? formatDate(at, zone) : writeInstant(at, zone));
  const written = value === null ? "" : write(value);
  const [text, setText] = useState(written);
  const [day, setDay] = useState(formatDate(value ?? now, zone));
  const [tried, setTried] = useState(false);
  const read = (typed: string): number | null => (typed === written ? value : readDate(typed, { now, zone, edge }));
  const at = read(text);
  const problem = describeProblem();

  function describeProblem(): string | null {
    if (at === null) return text.trim() === "" && clearable ? null : `Not a ${by === "day" ? "day" : "date or time"}`;
    const isEarly = min != null && (by === "day" ? write(at) < write(min) : at < min);
    if (isEarly) return `Must not be before ${write(min)}`;
    const isLate = max != null && (by === "day" ? write(at) > write(max) : at > max);
    return isLate ? `Must not be after ${write(max)}` : null;
  }
  function type(typed: string): void {
    setText(typed);
    setTried(false);
    const next = read(typed);
    if (next !== null) setDay(formatDate(next, zone));
  }
  function finish(next: number | null): void {
    // The text of an instant has no milliseconds: one that was not changed keeps them.
    if (next !== value) onPick(next);
    onDone();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    // The box may be part of another form, which must not receive the event.
    event.stopPropagation();
    if (problem === null) finish(at);
    else setTried(true);
  }
  function pickDay(picked: string): void {
    if (by === "day" || value === null) {
      finish(getDayBounds(picked, zone)[edge === "end" ? "until" : "since"]);
      return;
    }
    const clock = Date.parse(`1970-01-01${toLocalIso(at ?? value, zone).slice(10)}Z`);
    finish(toInstant(Date.parse(`${picked}T00:00:00Z`) + clock, zone));
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    document.getElementById(`${id}-day`)?.focus();
  }

  return (
    <form noValidate onSubmit={submit}>
      <div className="border-line border-b p-2">
        <Input
          aria-label={label}
          aria-describedby={`${id}-hint`}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-xs!"
          placeholder={EXAMPLES[by][0]}
          value={text}
          invalid={tried && problem !== null}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
        />
        <p id={`${id}-hint`} aria-live="polite" className="w-56 pt-1 text-mute text-xs max-sm:w-70">
          {tried && problem !== null ? (
            <span className="text-bad">
              {problem}
              {at === null && `. Try ${EXAMPLES[by].join(", ")}`}
            </span>
          ) : at === null || text === written ? (
            EXAMPLES[by].join(", ")
          ) : (
            `${write(at)}${by === "day" ? "" : ` ${formatZoneOffset(at, zone)}`}`
          )}
        </p>
      </div>
      <Calendar
        dayId={`${id}-day`}
        day={day}
        value={at === null ? null : formatDate(at, zone)}
        today={formatDate(now, zone)}
        min={min == null ? null : formatDate(min, zone)}
        max={max == null ? null : formatDate(max, zone)}
        onMove={setDay}
        onPick={pickDay}
      />
      <div className="flex items-center justify-end gap-2 border-line border-t p-2">
        {clearable && value !== null && (
          <Button variant="ghost" className="mr-auto" onClick={() => finish(null)}>
            Clear
          </Button>
        )}
        <Button type="submit" variant="primary">
          Apply
        </Button>
      </div>
    </form>
  );
}

type DateFormProps = DateChoice & { onDone: () => void };
