import { useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Segmented } from "@/app/_ui/segmented";
import type { LastEdit } from "@/lib/contract/last-edit";
import { compareEdits, type DraftFields, formatField, mergeEdits, type Pick } from "./merge-drafts";
import type { DraftState } from "./use-draft";

interface EditConflictProps<Draft> {
  held: DraftState<Draft>;
  fields: DraftFields<Draft>;
  /** The noun of the edited thing, as in "changed this tool". */
  subject: string;
  lastEdit: LastEdit | undefined;
  /** Whether the draft is being saved: the saved version then changes to this draft. */
  pending: boolean;
}

const PICKS = { mine: "Keep mine", theirs: "Take theirs" } as const;

/** Says who saved another edit since this draft began, and merges both or keeps the draft; saving is refused before. */
export function EditConflict<Draft>({ held, fields, subject, lastEdit, pending }: EditConflictProps<Draft>) {
  const [picks, setPicks] = useState<Readonly<Record<string, Pick>>>({});
  if (held.conflict === null || pending) return null;
  const edits = { mine: held.draft, ...held.conflict };
  const { theirs, both } = compareEdits(fields, edits);
  const rebase = (draft: Draft): void => {
    setPicks({});
    held.rebase(draft);
  };
  return (
    <Alert
      live
      tone="warn"
      className="mx-4 my-2"
      title={
        <>
          {lastEdit?.by ?? "Another edit"} changed this {subject} after you started editing
          {lastEdit !== undefined && (
            <>
              {" "}
              (<RelativeTime at={lastEdit.at} />)
            </>
          )}
        </>
      }
    >
      {theirs.length > 0 && (
        <p>Merge keeps your changes and adds theirs: {theirs.map((field) => formatField(fields, field)).join(", ")}.</p>
      )}
      {both.length > 0 && (
        <ul aria-label="Changed in both edits" className="mt-1 flex max-h-60 flex-col gap-1.5 overflow-y-auto">
          {both.map((field) => (
            <li key={field} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium text-xs">{formatField(fields, field)}</span>
              <Segmented
                label={`Which ${formatField(fields, field)}`}
                value={picks[field] ?? "mine"}
                options={PICKS}
                onChange={(pick) => setPicks({ ...picks, [field]: pick })}
              />
              <span className="min-w-0 basis-full truncate text-mute text-xs">
                Theirs: <span className="font-mono">{toPreview(fields.read(edits.theirs)[field])}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button variant="primary" onClick={() => rebase(mergeEdits(fields, edits, picks))}>
          Merge
        </Button>
        <Button
          title="Keeps your draft as it is. Saving it then replaces the other edit."
          onClick={() => rebase(held.draft)}
        >
          Overwrite
        </Button>
      </div>
    </Alert>
  );
}

const MAX_PREVIEW_CHARS = 200;

function toPreview(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "removed");
  return text === "" ? "empty" : text.slice(0, MAX_PREVIEW_CHARS);
}
