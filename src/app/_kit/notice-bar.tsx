import { X } from "lucide-react";
import { Button, IconButton } from "@/app/_ui/button";

interface NoticeBarProps {
  message: string;
  actionLabel: string;
  onAction: () => void;
  onDismiss: () => void;
}

/** An outcome or an offer with one thing to do about it. Stays until it is used or sent away. */
export function NoticeBar({ message, actionLabel, onAction, onDismiss }: NoticeBarProps) {
  return (
    <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-md border border-line2 bg-panel px-2.5 py-1.5 text-xs shadow-pop">
      <span className="min-w-0 flex-1">{message}</span>
      <Button onClick={onAction}>{actionLabel}</Button>
      <IconButton icon={X} label="Dismiss" onClick={onDismiss} />
    </div>
  );
}
