import type { ReactNode } from "react";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";

interface CallsLinkProps {
  /** The server's name. */
  name: string;
  status?: "failed";
  className?: string;
  children: ReactNode;
}

/** A figure of a server's calls, which leads to them. */
export function CallsLink({ name, status, className, children }: CallsLinkProps) {
  const filters = `server=${encodeURIComponent(name)}&kind=tool&range=${FIGURE_DAYS}d`;
  return (
    <Link
      href={`/executions?${filters}${status === undefined ? "" : `&status=${status}`}`}
      className={cx("rounded-xs hover:underline", className)}
    >
      {children}
      <span className="sr-only">
        {status ?? "calls"} of {name} in the last {FIGURE_DAYS} days
      </span>
    </Link>
  );
}
