import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button";

interface ErrorStateProps {
  title: string;
  /** The heading's level where this is what the page is about. */
  heading?: "h1" | "h2";
  message: ReactNode;
  onRetry?: () => void;
  /** Another way out beside the retry. */
  action?: ReactNode;
}

export function ErrorState({ title, heading, message, onRetry, action }: ErrorStateProps) {
  const Title = heading ?? "p";
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-2 px-4 py-12 text-center">
      <TriangleAlert size={20} className="text-bad" />
      <Title className="font-medium text-base">{title}</Title>
      <div className="max-w-full text-mute [overflow-wrap:anywhere]">{message}</div>
      <div className="mt-2 flex flex-wrap justify-center gap-2 empty:hidden">
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        {action}
      </div>
    </div>
  );
}
