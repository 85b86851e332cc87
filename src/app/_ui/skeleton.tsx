import { cx } from "./class-names";

/** A grey place holder; the caller's `className` sets its size. Wrap a group of them in one `role="status"`. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx("animate-pulse rounded-md bg-line", className)} />;
}
