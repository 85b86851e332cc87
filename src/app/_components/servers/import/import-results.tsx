"use client";

import { Check } from "lucide-react";
import Link from "next/link";
import { serverPath } from "@/app/_components/servers/server-words";
import { Alert } from "@/app/_ui/alert";
import type { ImportResultsData } from "./use-import";

/** What became of the import: links to what was added, and why the rest was not. */
export function ImportResults({ results }: { results: ImportResultsData }) {
  const { created, rejected } = results;
  return (
    <div role="status" className="flex flex-col gap-2.5 empty:hidden">
      {created.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-ok bg-ok-bg px-3 py-2">
          <Check aria-hidden size={15} strokeWidth={1.6} className="text-ok" />
          <span className="font-medium">Added and connecting:</span>
          {created.map((name) => (
            <Link key={name} href={serverPath(name)} className="rounded-xs font-mono text-xs underline">
              {name}
            </Link>
          ))}
          <Link href="/servers" className="ml-auto rounded-xs text-mute text-xs hover:text-text">
            All servers
          </Link>
        </div>
      )}
      {rejected.length > 0 && (
        <Alert tone="bad" title="Not added">
          <ul className="mt-1 flex flex-col gap-1">
            {rejected.map(({ name, error }) => (
              <li key={`${name} ${error}`}>
                <span className="font-medium font-mono text-xs">{name}</span>: {error}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  );
}
