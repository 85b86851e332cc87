"use client";

import dynamic from "next/dynamic";
import { PageSkeleton } from "@/app/_kit/page-skeleton";

/** The view of an execution that the browser loads and draws by itself. */
export const BrowserExecutionView = dynamic(() => import("./execution-view").then((module) => module.ExecutionView), {
  ssr: false,
  loading: () => <PageSkeleton of="execution" />,
});
