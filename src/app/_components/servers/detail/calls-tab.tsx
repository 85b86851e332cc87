"use client";

import { CallTimeline } from "@/app/_components/executions/summary/call-timeline";
import { Link } from "@/app/_ui/link";

/** The calls of a server's tools, resources and prompts over time. */
export function CallsTab({ name }: { name: string }) {
  const toPath = (filter: Record<string, string>): string =>
    `/executions?${new URLSearchParams({ server: name, ...filter })}`;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto p-4">
      <p className="text-mute text-xs">
        Calls of the server's tools, resources and prompts.{" "}
        <Link href={toPath({})} className="rounded-xs underline">
          Open in Executions
        </Link>
      </p>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <CallTimeline
          filter={{ server: name }}
          isMine={(event) => event.type === "execution"}
          toPath={({ since, until }) => toPath({ range: "custom", since: String(since), until: String(until) })}
        />
      </div>
    </div>
  );
}
