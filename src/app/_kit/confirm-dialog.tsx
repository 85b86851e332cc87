"use client";

import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { useAction } from "./use-action";

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
    <Dialog onClose={props.onClose} title={title} description={description}>
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

export interface ConfirmActionProps<Done>
  extends Pick<
    ConfirmDialogProps,
    "needs" | "title" | "description" | "action" | "running" | "variant" | "failure" | "onClose"
  > {
  run: () => Promise<Done>;
  /** Read again, also after a failure. */
  stale: readonly QueryKey[];
  /** The notice of the success. */
  done: (result: Done) => string;
  onDone?: () => void;
}

/** Asks before one request, makes it, says that it is done and closes. */
export function ConfirmAction<Done>({ run, stale, done, onDone, ...dialog }: ConfirmActionProps<Done>) {
  const onDoneAndClosed = (): void => {
    dialog.onClose();
    onDone?.();
  };
  const { mutate, isPending, error } = useAction<Done, Error, void, unknown>(
    { mutationFn: run },
    { stale, done, onDone: onDoneAndClosed },
  );
  return <ConfirmDialog {...dialog} isPending={isPending} error={error} onConfirm={() => mutate()} />;
}
