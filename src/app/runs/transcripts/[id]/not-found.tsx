import Link from "next/link";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";

export default function TranscriptNotFound() {
  return (
    <EmptyState
      heading="h1"
      title="No transcript has this id"
      action={
        <Link href="/runs/transcripts" className={buttonClass({ variant: "primary" })}>
          See all transcripts
        </Link>
      }
    >
      Ids look like transcript_7hJ2kP0q. The link may be cut off, or the transcript was deleted.
    </EmptyState>
  );
}
