import type { ReactNode } from "react";
import { cx } from "@/app/_ui/class-names";
import { ErrorState } from "@/app/_ui/error-state";
import { Skeleton } from "@/app/_ui/skeleton";

interface QueryStateProps<Data> {
  query: { data: Data | undefined; error: { message: string } | null; refetch: () => Promise<unknown> };
  /** The noun that is read, as in `Loading {what}` and `Couldn't load {what}`. */
  what: string;
  /** The classes for the sizes of the outline's bars. */
  bars: readonly string[];
  className?: string;
  children: (data: Data) => ReactNode;
}

/** Shows the data of a read without suspense; until then an outline, or its error with a retry. */
export function QueryState<Data>({ query, what, bars, className, children }: QueryStateProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error !== null) {
    return <ErrorState title={`Couldn't load ${what}`} message={error.message} onRetry={() => void refetch()} />;
  }
  return (
    <div role="status" className={cx("flex flex-col gap-3", className)}>
      <span className="sr-only">Loading {what}</span>
      {bars.map((bar, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars of a skeleton never change
        <Skeleton key={at} className={bar} />
      ))}
    </div>
  );
}
