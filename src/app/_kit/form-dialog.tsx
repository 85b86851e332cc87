import type { ReactNode, Ref } from "react";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { Dialog, type DialogProps } from "@/app/_ui/dialog";

export interface FormDialogProps
  extends Pick<ButtonProps, "needs" | "variant">,
    Pick<DialogProps, "title" | "description" | "size" | "onClose"> {
  /** The fields; absent where the dialog only confirms an action. */
  children?: ReactNode;
  /** The mutation that the form sends; it sets `pending` and `problem` unless they are given. */
  action?: { isPending: boolean; problem: string | null };
  submitLabel?: string;
  /** The label of the button while the form is sent. */
  pendingLabel?: string;
  pending?: boolean;
  /** The form is not ready to be sent. */
  disabled?: boolean;
  /** The title of a problem that belongs to no field. */
  failure?: string;
  problem?: ReactNode;
  /** Content above the fields. */
  notice?: ReactNode;
  /** The buttons before Cancel. */
  actions?: ReactNode;
  onSubmit: () => void;
  ref?: Ref<HTMLFormElement>;
}

/** A dialog with a form: fields, what went wrong, and its buttons. */
export function FormDialog(props: FormDialogProps) {
  const {
    needs,
    action,
    pending = action?.isPending ?? false,
    disabled = false,
    variant = "primary",
    failure = "Couldn't save",
    problem = action?.problem,
    notice,
    onClose,
    onSubmit,
  } = props;
  const idle = !pending && !disabled;
  return (
    <Dialog title={props.title} description={props.description} size={props.size} onClose={onClose}>
      <form
        ref={props.ref}
        noValidate
        data-dialog-form=""
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          // React sends it on to the form of the page that the dialog is opened from.
          event.stopPropagation();
          if (idle) onSubmit();
        }}
      >
        {needs && <AccessNotice needs={needs} />}
        {notice}
        {props.children}
        {problem && (
          <Alert live tone="bad" title={failure}>
            {problem}
          </Alert>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {props.actions}
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button needs={needs} size="md" type="submit" variant={variant} disabled={!idle}>
            {pending ? (props.pendingLabel ?? "Saving…") : (props.submitLabel ?? "Save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
