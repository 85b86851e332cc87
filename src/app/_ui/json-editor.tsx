"use client";

import dynamic from "next/dynamic";
import { Skeleton } from "./skeleton";

export interface JsonEditorProps {
  value: string;
  onChange: (value: string) => void;
  /** Accessible name. */
  label: string;
  invalid?: boolean;
  minLines?: number;
  /** Id of the text that says what is wrong. */
  describedBy?: string;
}

/** CodeMirror weighs more than a page, so it comes only where something is edited. */
export const JsonEditor = dynamic<JsonEditorProps>(
  () => import("./json-editor-view").then((module) => module.JsonEditorView),
  { ssr: false, loading: () => <Skeleton className="h-40" /> },
);
