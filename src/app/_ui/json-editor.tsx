"use client";

import dynamic from "next/dynamic";
import type { JsonEditorProps } from "./json-editor-props";
import { Skeleton } from "./skeleton";

/** CodeMirror weighs more than a page, so it comes only where something is edited. */
export const JsonEditor = dynamic<JsonEditorProps>(
  () => import("./json-editor-view").then((module) => module.JsonEditorView),
  { ssr: false, loading: () => <Skeleton className="h-40" /> },
);
