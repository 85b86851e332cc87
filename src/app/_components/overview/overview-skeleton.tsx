import { Skeleton } from "@/app/_ui/skeleton";

export function OverviewSkeleton() {
  return (
    <div role="status" aria-label="Reading the overview" className="flex flex-col gap-4 p-4">
      <Skeleton className="h-17" />
      <div className="grid gap-4 xl:grid-cols-2">
        <Skeleton className="h-52" />
        <Skeleton className="h-52" />
      </div>
      <Skeleton className="h-72" />
    </div>
  );
}
