"use client";

import { HeldChangeCard } from "@/app/_components/servers/review/held-change-card";
import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import type { HeldChange } from "@/lib/contract/held-change";

/** On the page of a tool whose change waits: why its calls are refused, and the decision. */
export function HeldBanner({ change }: { change: HeldChange }) {
  const { server, status, kind } = change;
  const what = kind === "added" ? "This tool is new on its server" : "The server changed this tool";
  return (
    <Alert tone="warn" title={status === "open" ? `${what}, waiting for approval` : `${what}; the change is blocked`}>
      <p className="mb-1.5 text-mute">
        Calls are refused.{" "}
        {kind === "added"
          ? "Models and clients do not see it."
          : "Models and clients still see the approved definition, which this page shows."}{" "}
        <Link href={`/servers/${encodeURIComponent(server)}?tab=changes`} className="underline">
          Changes of {server}
        </Link>
      </p>
      <HeldChangeCard key={change.hash} change={change} />
    </Alert>
  );
}
