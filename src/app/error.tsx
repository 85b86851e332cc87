"use client";

import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { Link } from "@/app/_ui/link";
import { useScriptReload } from "./_kit/use-script-reload";
import { buttonClass } from "./_ui/button";
import { ErrorState } from "./_ui/error-state";

/** A page that could not be shown; rail and top bar stay. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  const { reset } = useQueryErrorResetBoundary();
  const message = error instanceof Error && error.message !== "" ? error.message : "Unexpected error.";
  useScriptReload(message);
  return (
    <ErrorState
      heading="h1"
      title="Couldn't load this page"
      message={message}
      onRetry={() => {
        // Else a read that failed would be shown as failed again without asking.
        reset();
        retry();
      }}
      action={
        <Link href="/" className={buttonClass()}>
          Go to the overview
        </Link>
      }
    />
  );
}
