import { Skeleton } from "@/app/_ui/skeleton";

export function SettingsSkeleton() {
  return (
    <div role="status" aria-label="Reading the settings" className="flex max-w-4xl flex-col gap-4 p-4">
      <Skeleton className="h-28" />
      <Skeleton className="h-44" />
      <Skeleton className="h-36" />
    </div>
  );
}
