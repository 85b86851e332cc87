"use client";

import { Bell, BellOff } from "lucide-react";
import { setNotifications, useNotificationSetting } from "@/app/_components/approvals/summary/notification-setting";
import { Button } from "@/app/_ui/button";

/** Turns browser notifications for new approval requests on and off. */
export function NotifyButton() {
  const setting = useNotificationSetting();
  if (setting === "unsupported") return null;
  const on = setting === "on";
  const Icon = on ? Bell : BellOff;
  return (
    <Button
      aria-pressed={on}
      title={
        setting === "blocked"
          ? "The browser blocks notifications of this site: allow them in its settings"
          : "Notify me when a call needs approval while this tab is in the background"
      }
      onClick={() => void setNotifications(!on)}
    >
      <Icon aria-hidden size={13} strokeWidth={1.6} />
      {setting === "blocked" ? "Notifications blocked" : "Notifications"}
    </Button>
  );
}
