import { useEffect } from "react";
import { toAddress, toStorageName } from "@/lib/base-path";

const POLL_MS = 1_000;
/** A page that fails again after a reload waits this long for the next one. */
const LEAST_GAP_MS = 30_000;
const RELOADED_AT = "toolroom.reloadedAt";

const isMissingScript = (message: string): boolean => /Failed to load chunk|ChunkLoadError/i.test(message);

/**
 * Reloads the page once the server answers again, where the page's own scripts could not be loaded: it stopped or was
 * replaced, and the browser caches the failed import.
 */
export function useScriptReload(message: string): void {
  const isMissing = isMissingScript(message);
  // Outside system: the server, which may be away.
  useEffect(() => {
    if (!isMissing) return;
    const timer = setInterval(() => {
      if (Date.now() - Number(sessionStorage.getItem(toStorageName(RELOADED_AT))) < LEAST_GAP_MS) return;
      fetch(toAddress("/healthz")).then(
        ({ ok }) => {
          if (!ok) return;
          sessionStorage.setItem(toStorageName(RELOADED_AT), String(Date.now()));
          window.location.reload();
        },
        () => {},
      );
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isMissing]);
}
