import { Skeleton } from "@/app/_ui/skeleton";

export function ModelsSkeleton() {
  return (
    <div role="status" aria-label="Reading the models" className="flex max-w-5xl flex-col gap-4 p-4">
      <Skeleton className="h-40" />
      <Skeleton className="h-56" />
    </div>
  );
}
