import { useQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { useState } from "react";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { IconButton } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import { formatPlural } from "@/lib/format";

const Notices = onDemand(() => import("./notices"), "Notices");

const MOST_SHOWN = 9;

/** The bell of the top bar, with the number of alerts that the user has not seen. */
export function NoticesButton() {
  const [isOpen, setIsOpen] = useState(false);
  const { data, refetch } = useQuery(trpc.alerts.unread.queryOptions());
  const unread = data?.count ?? 0;
  useLiveRefresh(refetch, "alerts");
  const label = unread === 0 ? "Alerts" : `Alerts: ${formatPlural(unread, "new one", "new ones")}`;
  return (
    <>
      <span role="status" className="sr-only">
        {unread > 0 && formatPlural(unread, "new alert")}
      </span>
      <IconButton label={label} aria-haspopup="dialog" className="relative" onClick={() => setIsOpen(true)}>
        <Bell size={15} />
        {unread > 0 && (
          <span
            aria-hidden
            className="absolute top-0 right-0 min-w-3.5 rounded-full bg-bad px-0.75 text-center font-medium text-2xs text-panel leading-3.5 tabular-nums max-sm:top-1.5 max-sm:right-1.5"
          >
            {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
          </span>
        )}
      </IconButton>
      {isOpen && <Notices onClose={() => setIsOpen(false)} />}
    </>
  );
}
