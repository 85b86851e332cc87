import type { LiveExecution } from "@/app/_live/live-provider";
import { cx } from "@/app/_ui/class-names";

/** Tools count in fractions as well: enough digits to see them move. */
const AMOUNT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
/** The amount for a message without one, since progress must grow. */
const LEAST_AMOUNT = 0.001;
const MAX_MESSAGE_CHARS = 500;

/** The progress that the tool reports; indeterminate without a usable total. */
export function ProgressBar({ progress }: { progress: NonNullable<LiveExecution["progress"]> }) {
  const { progress: done, total, message } = progress;
  const known = total !== null && total > 0;
  return (
    <div className="flex flex-col gap-1 text-xs">
      <div className="flex justify-between gap-3 text-mute">
        <span className="line-clamp-3 min-w-0 [overflow-wrap:anywhere]">
          {message === null || message === "" ? "Progress" : message.slice(0, MAX_MESSAGE_CHARS)}
        </span>
        <span className="shrink-0 font-mono tabular-nums">
          {known ? `${AMOUNT.format(done)} / ${AMOUNT.format(total)}` : done < LEAST_AMOUNT ? "" : AMOUNT.format(done)}
        </span>
      </div>
      <progress
        aria-label="Progress"
        className={cx(
          "h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-value]:bg-accent",
          known
            ? "[&::-webkit-progress-bar]:bg-line"
            : "animate-pulse [&::-moz-progress-bar]:w-full! [&::-webkit-progress-bar]:bg-accent",
        )}
        {...(known ? { value: Math.min(Math.max(done, 0), total), max: total } : {})}
      />
    </div>
  );
}
