"use client";

import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import Link from "next/link";
import { buttonClass } from "./_ui/button";
import { ErrorState } from "./_ui/error-state";

/** A page that could not be shown; rail and top bar stay. */
export default function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  const { reset } = useQueryErrorResetBoundary();
  return (
    <ErrorState
      heading="h1"
      title="This page could not be shown"
      message={error instanceof Error && error.message !== "" ? error.message : "Something unexpected happened."}
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
