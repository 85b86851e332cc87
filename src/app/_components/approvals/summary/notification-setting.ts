import { useSyncExternalStore } from "react";
import { toStorageName } from "@/lib/base-path";

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
    if (localStorage.getItem(toStorageName(KEY)) !== "on") return "off";
  } catch {
    return "unsupported";
  }
  return Notification.permission === "granted" ? "on" : "blocked";
}

/** The switch for browser notifications of new approval requests; off until a user turns it on. */
export function useNotificationSetting(): NotificationSetting {
  return useSyncExternalStore(subscribe, read, () => "unsupported");
}

export async function setNotifications(on: boolean): Promise<void> {
  if (on) await Notification.requestPermission();
  localStorage.setItem(toStorageName(KEY), on ? "on" : "off");
  for (const listener of listeners) listener();
}
