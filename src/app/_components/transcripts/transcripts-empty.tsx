import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export function TranscriptsEmpty({ onNew }: { onNew: () => void }) {
  return (
    <EmptyState
      heading="h2"
      title="No transcripts yet"
      action={
        <Button variant="primary" onClick={onNew}>
          New transcript
        </Button>
      }
    >
      Send what is said as text, line by line. What is asked after a wake phrase is answered in the background, with the
      tools of the catalogue. There is no audio here: something else has to write down what is said.
    </EmptyState>
  );
}
