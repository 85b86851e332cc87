import { Skeleton } from "@/app/_ui/skeleton";

const ROWS = ["a", "b", "c", "d", "e", "f"];

export function TabSkeleton() {
  return (
    <div role="status" aria-label="Reading" className="flex flex-col gap-3 p-4">
      <Skeleton className="h-8 w-full sm:w-80" />
      {ROWS.map((row) => (
        <Skeleton key={row} className="h-5" />
      ))}
    </div>
  );
}
