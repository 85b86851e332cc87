import type { Metadata } from "next";
import { EmptyState } from "@/app/_ui/empty-state";

export const metadata: Metadata = { title: "Transcripts" };

/** The list of the layout shows the transcripts alone, and opens the form of a new one with `?new=1`. */
export default function TranscriptsPage() {
  return (
    <EmptyState
      heading="h2"
      title="Transcripts"
      next={{ href: "/runs/transcripts?new=1", text: "New transcript", needs: "run" }}
    >
      Send speech as text, line by line. Questions after a wake phrase are answered in the background with the tools of
      the catalog. Toolroom does not record audio.
    </EmptyState>
  );
}
