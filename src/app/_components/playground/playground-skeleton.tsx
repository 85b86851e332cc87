import { TabSkeleton } from "@/app/_components/run/tab-skeleton";
import { Skeleton } from "@/app/_ui/skeleton";

export function PlaygroundSkeleton() {
  return (
    <div className="flex h-full flex-col">
      <div className="border-line border-b bg-panel px-4 py-3">
        <Skeleton className="h-6 w-48" />
      </div>
      <TabSkeleton />
    </div>
  );
}
