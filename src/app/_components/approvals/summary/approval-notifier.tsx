"use client";

import { useEffect, useRef } from "react";
import { formatPlural } from "@/lib/format";
import { useNotificationSetting } from "./notification-setting";
import { useApprovalCount } from "./use-approval-count";

/** Shows a browser notification when another call waits for approval and this tab is not in view. */
export function ApprovalNotifier() {
  const open = useApprovalCount();
  const setting = useNotificationSetting();
  const before = useRef(open);
  // Outside system: the browser's notifications.
  useEffect(() => {
    const more = open !== undefined && before.current !== undefined && open > before.current;
    before.current = open;
    if (!more || setting !== "on" || !document.hidden) return;
    const body = `${formatPlural(open, "call waits", "calls wait")} for approval in Toolroom.`;
    const notification = new Notification("Approval required", { body, tag: "toolroom-approvals" });
    notification.onclick = () => {
      window.focus();
      window.location.assign("/approvals");
    };
  }, [open, setting]);
  return null;
}
