import { Skeleton } from "@/app/_ui/skeleton";

export function EditorSkeleton() {
  return (
    <div
      role="status"
      aria-label="Reading the definition"
      className="grid gap-4 p-4 lg:grid-cols-[minmax(0,1fr)_22rem]"
    >
      <div className="flex flex-col gap-4">
        <Skeleton className="h-7 w-32" />
        <Skeleton className="h-14" />
        <Skeleton className="h-24" />
        <Skeleton className="h-48" />
      </div>
      <Skeleton className="h-24" />
    </div>
  );
}
