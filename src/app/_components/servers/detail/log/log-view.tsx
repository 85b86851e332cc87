import { parseAsString, useQueryStates } from "nuqs";
import { Suspense } from "react";
import { type LogView, logViewParser } from "@/app/_components/servers/detail/server-tabs";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { lazyPart } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerDetail } from "@/lib/contract/server";

const LogTab = lazyPart(() => import("./log-tab"), "LogTab");
const Outages = lazyPart(() => import("./outages"), "Outages");
const MessagesTab = lazyPart(() => import("./messages-tab"), "MessagesTab");

const VIEWS: Record<LogView, string> = { output: "Output", messages: "Messages" };

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
