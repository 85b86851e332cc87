import { Skeleton } from "@/app/_ui/skeleton";

export function FormSkeleton() {
  return (
    <div
      role="status"
      aria-label="Reading the settings"
      className="grid gap-4 p-4 lg:grid-cols-[minmax(0,44rem)_22rem]"
    >
      <div className="flex flex-col gap-4">
        <Skeleton className="h-14" />
        <Skeleton className="h-7 w-60" />
        <Skeleton className="h-14" />
        <Skeleton className="h-32" />
      </div>
      <Skeleton className="h-32" />
    </div>
  );
}
