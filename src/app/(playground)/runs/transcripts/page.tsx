import type { Metadata } from "next";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";

export const metadata: Metadata = { title: "Transcripts" };

/** The list of the layout shows the transcripts alone, and opens the form of a new one with `?new=1`. */
export default function TranscriptsPage() {
  return (
    <EmptyState
      heading="h2"
      title="Transcripts"
      action={
        <Link needs="run" href="/runs/transcripts?new=1" className={buttonClass({ variant: "primary", size: "md" })}>
          New transcript
        </Link>
      }
    >
      Send speech as text, line by line. Questions after a wake phrase are answered in the background with the tools of
      the catalog. Toolroom does not record audio.
    </EmptyState>
  );
}
