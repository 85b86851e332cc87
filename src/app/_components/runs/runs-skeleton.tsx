import { Skeleton } from "@/app/_ui/skeleton";

const ROWS = ["w-10/12", "w-9/12", "w-11/12", "w-8/12", "w-7/12", "w-6/12", "w-5/12"];

export function RunsSkeleton() {
  return (
    <div role="status" className="flex flex-col px-4 py-2">
      <span className="sr-only">Loading runs</span>
      {ROWS.map((width) => (
        <div key={width} className="flex h-8 items-center gap-4 border-line border-b">
          <Skeleton className="h-4 w-20 shrink-0" />
          <Skeleton className={`h-3 ${width}`} />
        </div>
      ))}
    </div>
  );
}
