"use client";

import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { Skeleton } from "@/app/_ui/skeleton";
import { AuthCard } from "./auth-card";
import { JoinBySignOn, JoinForm } from "./join-form";
import { useJoinLink } from "./use-join-link";

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
    <Link href="/sign-in" className={buttonClass({ size: "md" })}>
      Go to sign in
    </Link>
  );
}
