"use client";

import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { onDemand } from "@/app/_ui/on-demand";

/** A comparison that is loaded and rendered in the browser only. */
export const BrowserCompareView = onDemand(() => import("./compare-view"), "CompareView", {
  fallback: <PageSkeleton of="execution" />,
});
