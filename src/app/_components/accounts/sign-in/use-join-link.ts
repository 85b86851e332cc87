"use client";

import { useEffect, useRef, useState } from "react";
import type { LinkPreview } from "@/lib/contract/account";
import { previewLink } from "./auth-requests";

export type JoinLink =
  | { status: "reading" }
  /** The address has no token: it was opened by hand, or loaded again. */
  | { status: "missing" }
  | { status: "refused"; message: string }
  | { status: "open"; token: string; preview: LinkPreview };

/**
 * Reads the token from the address' fragment, which no server is sent, and takes it out of there: it must not stay in
 * the browser's history.
 */
export function useJoinLink(): [JoinLink, (link: JoinLink) => void] {
  const [link, setLink] = useState<JoinLink>({ status: "reading" });
  const taken = useRef(false);

  // Outside system: the address of the page.
  useEffect(() => {
    const readAddress = (): void => {
      const token = window.location.hash.slice(1);
      if (token === "") {
        // A development build runs effects twice, and the first run has taken the token out.
        if (!taken.current) setLink({ status: "missing" });
        return;
      }
      taken.current = true;
      window.history.replaceState(null, "", window.location.pathname);
      setLink({ status: "reading" });
      void previewLink(token).then((answer) =>
        setLink(
          "body" in answer
            ? { status: "open", token, preview: answer.body }
            : { status: "refused", message: answer.refusal.message },
        ),
      );
    };
    readAddress();
    // Another link that is pasted into the same tab.
    window.addEventListener("hashchange", readAddress);
    return () => window.removeEventListener("hashchange", readAddress);
  }, []);

  return [link, setLink];
}
