import { useState } from "react";
import { NoticeBar } from "./notice-bar";
import type { DraftState } from "./use-draft";

interface DraftNoticeProps<Draft> {
  held: DraftState<Draft>;
}

/** Says that a draft was restored and what it lacks; offers to discard it, and to take that back. */
export function DraftNotice<Draft>({ held }: DraftNoticeProps<Draft>) {
  const { draft, kept, discard, replace } = held;
  const [dismissed, setDismissed] = useState("");
  const [discarded, setDiscarded] = useState<Draft | null>(null);
  const message = describeKept(kept);
  return (
    <output aria-label="Draft notice" className="block px-4 empty:hidden">
      {discarded !== null && !held.dirty && (
        <NoticeBar
          message="Discarded your draft."
          actionLabel="Undo"
          onAction={() => {
            replace(discarded);
            setDiscarded(null);
          }}
          onDismiss={() => setDiscarded(null)}
        />
      )}
      {message !== "" && message !== dismissed && (
        <NoticeBar
          message={message}
          actionLabel="Discard draft"
          onAction={() => {
            setDiscarded(draft);
            discard();
          }}
          onDismiss={() => setDismissed(message)}
        />
      )}
    </output>
  );
}

function describeKept({ restored, withheld }: DraftState<unknown>["kept"]): string {
  return [restored && "Restored your unsaved draft.", withheld && "Secret values were not kept: enter them again."]
    .filter((part) => part !== false)
    .join(" ");
}
