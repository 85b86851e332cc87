import { useSyncExternalStore } from "react";
import { toStorageName } from "@/lib/base-path";
import type { Shell } from "@/lib/shell-line";
import { Segmented } from "./segmented";

const KEY = "toolroom.shell";
const OPTIONS = { posix: "bash", powershell: "PowerShell" } as const;
const listeners = new Set<() => void>();
/** The choice of this page, for browsers that store nothing. */
let chosen: Shell | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(toStorageName(KEY)) ?? chosen;
  } catch {
    return chosen;
  }
}

function readShell(): Shell {
  const choice = readChoice();
  if (choice === "posix" || choice === "powershell") return choice;
  return isWindows(navigator) ? "powershell" : "posix";
}

function isWindows(browser: Navigator & { userAgentData?: { platform?: string } }): boolean {
  return (browser.userAgentData?.platform || browser.platform).startsWith("Win");
}

/** The shell of the reader's own terminal: as chosen in this browser, else that of its system. */
export function useShell(): Shell {
  return useSyncExternalStore(subscribe, readShell, () => "posix");
}

export function setShell(shell: Shell): void {
  chosen = shell;
  try {
    localStorage.setItem(toStorageName(KEY), shell);
  } catch {
    // Storage is not available: the variable above keeps the choice.
  }
  for (const listener of listeners) listener();
}

/** For commands that the reader runs. */
export function ShellChoice({ className }: { className?: string }) {
  return <Segmented label="Shell" value={useShell()} options={OPTIONS} onChange={setShell} className={className} />;
}
