import { Skeleton } from "@/app/_ui/skeleton";
import { TabSkeleton } from "./tab-skeleton";

export function ServerSkeleton() {
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-col gap-3 border-line border-b bg-panel px-4 py-3">
        <Skeleton className="h-6 w-60" />
        <Skeleton className="h-4 w-80 max-w-full" />
        <Skeleton className="h-5 w-full sm:w-120" />
      </div>
      <TabSkeleton />
    </div>
  );
}
