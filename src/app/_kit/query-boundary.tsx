"use client";

import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { Component, type ReactNode, Suspense } from "react";
import { ErrorState } from "@/app/_ui/error-state";
import { useScriptReload } from "./use-script-reload";

interface BoundaryProps {
  title: string;
  onReset: () => void;
  children: ReactNode;
}

class ErrorBoundary extends Component<BoundaryProps, { failed: boolean; message: string }> {
  override state = { failed: false, message: "" };

  static getDerivedStateFromError(error: unknown) {
    const message = error instanceof Error && error.message !== "" ? error.message : "Unexpected error.";
    return { failed: true, message };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    const onRetry = (): void => {
      this.props.onReset();
      this.setState({ failed: false, message: "" });
    };
    return <Failure title={this.props.title} message={this.state.message} onRetry={onRetry} />;
  }
}

function Failure({ title, message, onRetry }: { title: string; message: string; onRetry: () => void }) {
  useScriptReload(message);
  return <ErrorState title={title} message={message} onRetry={onRetry} />;
}

interface QueryBoundaryProps {
  /** The title of the error: `Couldn't load tools`. */
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
