"use client";

import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { ButtonLink } from "@/app/_ui/button";
import { useScriptReload } from "./_kit/use-script-reload";
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
        // Without the reset, a failed read would be shown as failed again without a new request.
        reset();
        retry();
      }}
      action={<ButtonLink href="/">Go to the overview</ButtonLink>}
    />
  );
}
