import { Button } from "@/app/_ui/button";
import { formatCount } from "@/lib/format";
import type { CutText } from "./use-cut-text";

/** Below a text that is not loaded whole; renders nothing when it is. */
export function CutTextBar({ cut, label }: { cut: CutText; label: string }) {
  if (cut.rest === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-mute text-xs">
      <span>{formatCount(cut.rest)} more characters</span>
      <Button onClick={cut.loadMore} disabled={cut.loading} aria-label={`Load more of ${label}`}>
        {cut.loading ? "Loading…" : "Load more"}
      </Button>
      <Button onClick={cut.loadAll} disabled={cut.loading} aria-label={`Load all of ${label}`}>
        Load all
      </Button>
      {cut.error !== null && (
        <span role="alert" className="text-bad">
          Couldn't load the text: {cut.error}
        </span>
      )}
    </div>
  );
}
