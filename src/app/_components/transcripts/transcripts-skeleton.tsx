import { Skeleton } from "@/app/_ui/skeleton";

const ROWS = ["a", "b", "c", "d", "e"];

export function TranscriptsSkeleton() {
  return (
    <div role="status" aria-label="Reading the transcripts" className="flex flex-col gap-3 px-4 pt-11">
      {ROWS.map((row) => (
        <Skeleton key={row} className="h-5" />
      ))}
    </div>
  );
}

export function TranscriptSkeleton() {
  return (
    <div role="status" aria-label="Reading the transcript" className="flex flex-col gap-4 p-4">
      <Skeleton className="h-7 w-64" />
      <div className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-72" />
        <Skeleton className="h-72" />
      </div>
    </div>
  );
}
