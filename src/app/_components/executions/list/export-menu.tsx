"use client";

import { Download } from "lucide-react";
import { Button } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import type { ExecutionFilter } from "@/lib/contract/execution";

const FORMATS = [
  ["jsonl", "JSON Lines: all that is recorded"],
  ["csv", "CSV: for spreadsheets"],
  ["har", "HAR: calls of HTTP servers"],
] as const;

/** Downloads every call that matches the filter, with arguments and results. */
export function ExportMenu({ filter }: { filter: ExecutionFilter }) {
  return (
    <Menu
      label="All matching calls, newest first"
      items={FORMATS.map(([format, label]) => ({
        label,
        // The answer is an attachment: the page stays.
        onSelect: () => window.location.assign(toExportPath(format, filter)),
      }))}
      trigger={<Button icon={Download}>Export</Button>}
    />
  );
}

const toExportPath = (format: string, filter: ExecutionFilter): string =>
  `/api/executions/export?${new URLSearchParams({ format, filter: JSON.stringify(filter) })}`;
