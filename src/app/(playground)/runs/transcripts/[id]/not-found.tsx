import { EmptyState } from "@/app/_ui/empty-state";

export default function TranscriptNotFound() {
  return (
    <EmptyState heading="h1" title="Transcript not found" next={{ href: "/runs/transcripts", text: "All transcripts" }}>
      Ids look like transcript_7hJ2kP0q. The link may be incomplete, or the transcript was deleted.
    </EmptyState>
  );
}
