import { useState } from "react";
import { onDemand } from "@/app/_ui/on-demand";
import { formatPlural } from "@/lib/format";
import { usePendingInteractions } from "./use-pending-interactions";

const Inbox = onDemand(() => import("./inbox"), "Inbox");

/** Stands in the top bar while servers wait for a user. Says so once when that begins or changes. */
export function InboxButton() {
  const pending = usePendingInteractions();
  const count = pending.length;
  // The dialog stays open when the last request is answered.
  const [wasNeeded, setNeeded] = useState(count > 0);
  if (count > 0 && !wasNeeded) setNeeded(true);
  return (
    <>
      <span role="status" className="sr-only">
        {count > 0 && `${formatPlural(count, "server request")} ${count === 1 ? "needs" : "need"} your input`}
      </span>
      {wasNeeded && <Inbox interactions={pending} />}
    </>
  );
}
