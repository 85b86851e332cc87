"use client";

import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { onDemand } from "@/app/_ui/on-demand";

/** An execution's view that is loaded and rendered in the browser only. */
export const BrowserExecutionView = onDemand(() => import("./execution-view"), "ExecutionView", {
  fallback: <PageSkeleton of="execution" />,
});
