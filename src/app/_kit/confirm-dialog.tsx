import type { ReactNode } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";

export interface ConfirmDialogProps extends Pick<ButtonProps, "needs"> {
  title: string;
  description: ReactNode;
  /** The text of the button that confirms, and while the action runs. */
  action: string;
  running: string;
  variant?: "danger" | "primary";
  isPending: boolean;
  /** There is nothing to confirm. */
  disabled?: boolean;
  /** Title of the alert when the action failed. */
  failure: string;
  error: { message: string } | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an action, shows why it failed, and stays open until it succeeds. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    description,
    action,
    running,
    variant = "danger",
    needs,
    isPending,
    disabled = false,
    failure,
    error,
  } = props;
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title={title} description={description}>
      {error !== null && (
        <Alert live tone="bad" title={failure} className="mb-3">
          {error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button {...(needs && { needs })} variant={variant} disabled={isPending || disabled} onClick={props.onConfirm}>
          {isPending ? running : action}
        </Button>
      </div>
    </Dialog>
  );
}
