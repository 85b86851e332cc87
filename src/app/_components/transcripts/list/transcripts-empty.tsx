import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export function TranscriptsEmpty({ onNew }: { onNew: () => void }) {
  return (
    <EmptyState
      heading="h2"
      title="No transcripts yet"
      action={
        <Button needs="run" variant="primary" onClick={onNew}>
          New transcript
        </Button>
      }
    >
      Send speech as text, line by line. Questions after a wake phrase are answered in the background with the tools of
      the catalog. Toolroom does not record audio.
    </EmptyState>
  );
}
