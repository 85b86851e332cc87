"use client";

import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { Component, type ReactNode, Suspense } from "react";
import { ErrorState } from "@/app/_ui/error-state";

interface BoundaryProps {
  title: string;
  onReset: () => void;
  children: ReactNode;
}

class ErrorBoundary extends Component<BoundaryProps, { failed: boolean; message: string }> {
  override state = { failed: false, message: "" };

  static getDerivedStateFromError(error: unknown) {
    const message = error instanceof Error && error.message !== "" ? error.message : "Something unexpected happened.";
    return { failed: true, message };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <ErrorState
        title={this.props.title}
        message={this.state.message}
        onRetry={() => {
          this.props.onReset();
          this.setState({ failed: false, message: "" });
        }}
      />
    );
  }
}

export interface QueryBoundaryProps {
  /** Says what could not be shown: `The tools could not be read`. */
  title: string;
  skeleton: ReactNode;
  children: ReactNode;
}

/** Around what reads with suspense: its skeleton while it waits, its error with a retry that asks the server again. */
export function QueryBoundary({ title, skeleton, children }: QueryBoundaryProps) {
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <ErrorBoundary title={title} onReset={reset}>
          <Suspense fallback={skeleton}>{children}</Suspense>
        </ErrorBoundary>
      )}
    </QueryErrorResetBoundary>
  );
}
