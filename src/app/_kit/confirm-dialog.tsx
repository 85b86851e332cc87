import type { Stale } from "@/app/_trpc/use-invalidate";
import { FormDialog, type FormDialogProps } from "./form-dialog";
import { useAction } from "./use-action";

interface ConfirmActionProps<Done>
  extends Pick<FormDialogProps, "needs" | "title" | "description" | "variant" | "failure" | "onClose"> {
  /** The text of the button that confirms, and while the action runs; without them it deletes. */
  action?: string;
  running?: string;
  run: () => Promise<Done>;
  /** Read again, also after a failure. */
  stale: readonly Stale[];
  /** The notice of the success. */
  done: string | ((result: Done) => string);
  onDone?: () => void;
}

/** Asks before one request, makes it, says that it is done and closes; stays open and says why where it failed. */
export function ConfirmAction<Done>(props: ConfirmActionProps<Done>) {
  const { action, running, run, stale, done, onDone, ...dialog } = props;
  const onDoneAndClosed = (): void => {
    dialog.onClose();
    onDone?.();
  };
  const confirmed = useAction<Done, Error, void, unknown>(
    { mutationFn: run },
    { stale, done, onDone: onDoneAndClosed },
  );
  return (
    <FormDialog
      variant="danger"
      failure="Couldn't delete"
      {...dialog}
      submitLabel={action ?? "Delete"}
      pendingLabel={running ?? "Deleting…"}
      action={confirmed}
      onSubmit={() => confirmed.mutate()}
    />
  );
}
