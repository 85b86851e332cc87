"use client";

import dynamic from "next/dynamic";
import { PageSkeleton } from "@/app/_kit/page-skeleton";

/** An execution's view that is loaded and rendered in the browser only. */
export const BrowserExecutionView = dynamic(() => import("./execution-view").then((module) => module.ExecutionView), {
  ssr: false,
  loading: () => <PageSkeleton of="execution" />,
});
