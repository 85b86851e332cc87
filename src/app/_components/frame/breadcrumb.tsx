"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { buildBreadcrumbTrail } from "./breadcrumb-trail";

export function Breadcrumb() {
  const trail = buildBreadcrumbTrail(usePathname(), useSearchParams().get("edit"));
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5">
        {trail.map((crumb, at) => (
          <li key={crumb.path} className={cx("flex items-center gap-1.5", at === trail.length - 1 && "min-w-0")}>
            {at > 0 && (
              <span aria-hidden className="text-faint">
                /
              </span>
            )}
            {crumb.href === null ? (
              <span aria-current="page" className={cx("truncate font-medium", crumb.mono && "font-mono text-xs")}>
                {crumb.label}
              </span>
            ) : (
              <Link href={crumb.href} className="rounded-xs text-mute hover:text-text">
                {crumb.label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
