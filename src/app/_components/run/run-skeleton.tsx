import { Skeleton } from "@/app/_ui/skeleton";
import { TabSkeleton } from "./tab-skeleton";

export function RunSkeleton() {
  return (
    <div className="flex flex-col">
      <div className="flex flex-col gap-2 border-line border-b bg-panel px-4 py-3">
        <Skeleton className="h-6 w-64" />
        <Skeleton className="h-4 w-96 max-w-full" />
      </div>
      <TabSkeleton />
    </div>
  );
}
