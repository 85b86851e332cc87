import { NotFoundState } from "@/app/_ui/not-found-state";

export default function TranscriptNotFound() {
  return (
    <NotFoundState title="Transcript not found" href="/runs/transcripts" linkText="All transcripts">
      Ids look like transcript_7hJ2kP0q. The link may be incomplete, or the transcript was deleted.
    </NotFoundState>
  );
}
