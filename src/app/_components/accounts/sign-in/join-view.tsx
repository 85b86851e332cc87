"use client";

import { useEffect, useRef, useState } from "react";
import { ButtonLink } from "@/app/_ui/button";
import { Skeleton } from "@/app/_ui/skeleton";
import type { LinkPreview } from "@/lib/contract/account";
import { AuthCard } from "./auth-card";
import { previewLink } from "./auth-requests";
import { JoinBySignOn, JoinForm } from "./join-form";

/** The page of a one-time link: the first account, an invitation, or a new password. */
export function JoinView({ signOnName = null }: { signOnName?: string | null }) {
  const [link, setLink] = useJoinLink();
  switch (link.status) {
    case "reading":
      return (
        <AuthCard
          title="Opening the link…"
          text="Each link works once, and for a limited time. Toolroom checks it before it asks you for anything."
        >
          <div role="status" className="flex flex-col gap-3">
            <span className="sr-only">Reading the link</span>
            <Skeleton className="h-8" />
            <Skeleton className="h-8" />
          </div>
        </AuthCard>
      );
    case "missing":
      return (
        <AuthCard
          title="The link is incomplete"
          text="Open the whole link again, including the part after #. A page that is reloaded forgets it."
        >
          <SignInLink />
        </AuthCard>
      );
    case "refused":
      return (
        <AuthCard title="This link can't be used" text={link.message}>
          <p className="mb-4 text-mute">
            An admin can create a new one in Settings → People. The link for the first account is printed again when the
            server restarts.
          </p>
          <SignInLink />
        </AuthCard>
      );
    case "open":
      return link.preview.kind === "invitation" && !link.preview.password ? (
        <JoinBySignOn preview={link.preview} name={signOnName} />
      ) : (
        <JoinForm
          key={link.token}
          token={link.token}
          preview={link.preview}
          onGone={(message) => setLink({ status: "refused", message })}
        />
      );
  }
}

function SignInLink() {
  return (
    <ButtonLink href="/sign-in" size="md">
      Go to sign in
    </ButtonLink>
  );
}

type JoinLink =
  | { status: "reading" }
  /** The address has no token: it was opened by hand, or loaded again. */
  | { status: "missing" }
  | { status: "refused"; message: string }
  | { status: "open"; token: string; preview: LinkPreview };

/**
 * Reads the token from the address' fragment, which no server is sent, and takes it out of there: it must not stay in
 * the browser's history.
 */
function useJoinLink(): [JoinLink, (link: JoinLink) => void] {
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
