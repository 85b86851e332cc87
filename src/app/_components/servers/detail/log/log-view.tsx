"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { lazy, Suspense } from "react";
import { type LogView, logViewParser } from "@/app/_components/servers/detail/server-tabs";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerDetail } from "@/lib/contract/server";

const LogTab = lazy(() => import("./log-tab").then((m) => ({ default: m.LogTab })));
const Outages = lazy(() => import("./outages").then((m) => ({ default: m.Outages })));
const MessagesTab = lazy(() => import("./messages-tab").then((m) => ({ default: m.MessagesTab })));

const VIEWS: readonly { value: LogView; label: string }[] = [
  { value: "output", label: "Output" },
  { value: "messages", label: "Messages" },
];

/** The Log tab: the output and connection events of a server, or its protocol messages. */
export function ServerLogView({ server: { name, state } }: { server: ServerDetail }) {
  // A search in one view does not apply to the other.
  const [{ show }, setAddress] = useQueryStates({ show: logViewParser, q: parseAsString });
  return (
    <>
      <div className="shrink-0 border-line border-b bg-panel px-4 py-2">
        <Segmented
          label="Show"
          value={show}
          options={VIEWS}
          onChange={(next) => void setAddress({ show: next, q: null })}
        />
      </div>
      <Suspense fallback={<ViewSkeleton of="serverTab" />}>
        {show === "messages" ? (
          <MessagesTab name={name} connected={state.status === "connected"} />
        ) : (
          <>
            <Outages name={name} />
            <LogTab name={name} />
          </>
        )}
      </Suspense>
    </>
  );
}
