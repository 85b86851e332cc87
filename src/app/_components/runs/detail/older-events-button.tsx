import { Button } from "@/app/_ui/button";
import { formatCount } from "@/lib/format";
import type { OlderEvents } from "./use-run";

/** Shown above the loaded part of a run; renders nothing when its whole log is loaded. */
export function OlderEventsButton({ older: { count, load, loading, error } }: { older: OlderEvents }) {
  if (count === 0) return null;
  return (
    <div className="flex flex-col items-center gap-1 p-2">
      <Button onClick={load} disabled={loading}>
        {loading ? "Loading…" : `Load earlier events (${formatCount(count)} left)`}
      </Button>
      {error !== null && (
        <p role="alert" className="text-bad text-xs">
          Couldn't load earlier events: {error}
        </p>
      )}
    </div>
  );
}
