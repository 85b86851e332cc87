"use client";

import { Bell, BellOff } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { Button } from "@/app/_ui/button";
import { formatPlural } from "@/lib/format";
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

type NotificationSetting = "unsupported" | "off" | "on" | "blocked";

const KEY = "toolroom.approvalNotifications";
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): NotificationSetting {
  if (typeof Notification === "undefined") return "unsupported";
  try {
    if (localStorage.getItem(KEY) !== "on") return "off";
  } catch {
    return "unsupported";
  }
  return Notification.permission === "granted" ? "on" : "blocked";
}

/** The switch for browser notifications of new approval requests; off until a person turns it on. */
function useNotificationSetting(): NotificationSetting {
  return useSyncExternalStore(subscribe, read, () => "unsupported");
}

async function setNotifications(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission();
  localStorage.setItem(KEY, on ? "on" : "off");
  for (const listener of listeners) listener();
}

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
