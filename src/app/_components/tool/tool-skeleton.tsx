import { Skeleton } from "@/app/_ui/skeleton";

/** Three columns, as they will be. */
export function ToolSkeleton() {
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 gap-4 p-4 lg:grid-cols-3">
      {["definition", "arguments", "result"].map((column) => (
        <div key={column} className="flex flex-col gap-3">
          <Skeleton className="h-5 w-2/5" />
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-24 w-full" />
        </div>
      ))}
    </div>
  );
}
