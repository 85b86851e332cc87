import { Skeleton } from "@/app/_ui/skeleton";

export function ApprovalsSkeleton() {
  return (
    <div role="status" aria-label="Reading the approvals" className="flex flex-col gap-2 p-3">
      <Skeleton className="h-14" />
      <Skeleton className="h-14" />
      <Skeleton className="h-14" />
    </div>
  );
}
