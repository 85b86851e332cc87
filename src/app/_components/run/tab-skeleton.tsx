import { Skeleton } from "@/app/_ui/skeleton";

export function TabSkeleton() {
  return (
    <div role="status" className="mx-auto flex w-full max-w-4xl flex-col gap-4 px-4 py-5">
      <span className="sr-only">Loading the run</span>
      <Skeleton className="h-9 w-1/2 self-end" />
      <Skeleton className="h-4 w-10/12" />
      <Skeleton className="h-4 w-8/12" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-4 w-9/12" />
    </div>
  );
}
