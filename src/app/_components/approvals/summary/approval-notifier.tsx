import { Bell, BellOff } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "@/app/_ui/button";
import { toAddress } from "@/lib/base-path";
import { formatPlural } from "@/lib/format";
import { setNotifications, useNotificationSetting } from "./notification-setting";
import { useApprovalCount } from "./use-approval-count";

/** Shows a browser notification when another call waits for approval and this tab is not in view. */
export function ApprovalNotifier() {
  const open = useApprovalCount();
  const before = useRef(open);
  // Outside system: the browser's notifications.
  useEffect(() => {
    const more = open !== undefined && before.current !== undefined && open > before.current;
    before.current = open;
    if (!more || !document.hidden) return;
    const body = `${formatPlural(open, "call waits", "calls wait")} for approval in Toolroom.`;
    const notification = new Notification("Approval required", { body, tag: "toolroom-approvals" });
    notification.onclick = () => {
      window.focus();
      window.location.assign(toAddress("/approvals"));
    };
  }, [open]);
  return null;
}

/** Turns browser notifications for new approval requests on and off. */
export function NotifyButton() {
  const setting = useNotificationSetting();
  if (setting === "unsupported") return null;
  const on = setting === "on";
  const Icon = on ? Bell : BellOff;
  return (
    <Button
      icon={Icon}
      aria-pressed={on}
      title={
        setting === "blocked"
          ? "The browser blocks notifications of this site: allow them in its settings"
          : "Notify me when a call needs approval while this tab is in the background"
      }
      onClick={() => void setNotifications(!on)}
    >
      {setting === "blocked" ? "Notifications blocked" : "Notifications"}
    </Button>
  );
}
