import { Skeleton } from "@/app/_ui/skeleton";

const ROWS = ["a", "b", "c", "d", "e"];

export function ServersSkeleton() {
  return (
    <div role="status" aria-label="Reading the servers">
      <div className="flex flex-wrap gap-2 border-line border-b bg-panel px-4 py-2.5">
        <Skeleton className="h-8 min-w-50 flex-1 sm:max-w-80" />
        <Skeleton className="h-8 w-28" />
        <Skeleton className="h-8 w-28" />
      </div>
      <div className="flex flex-col gap-3 px-4 pt-11">
        {ROWS.map((row) => (
          <Skeleton key={row} className="h-5" />
        ))}
      </div>
    </div>
  );
}
