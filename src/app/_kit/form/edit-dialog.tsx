import type { ReactNode } from "react";
import { FormDialog, type FormDialogProps } from "../form-dialog";
import { Fields } from "./field";
import type { DraftOf } from "./fields";
import { FormConflict } from "./form-page";
import { type EditFormOptions, type Specs, useEditForm } from "./use-edit-form";
import type { FormState } from "./use-form";

interface EditDialogProps<Input, Fields extends Specs, Saved>
  extends EditFormOptions<Input, Fields, Saved>,
    Pick<
      FormDialogProps,
      | "needs"
      | "title"
      | "description"
      | "size"
      | "submitLabel"
      | "pendingLabel"
      | "disabled"
      | "failure"
      | "problem"
      | "actions"
      | "onClose"
    > {
  /** Called after saving to open the next step; without it the dialog closes. */
  onSaved?: (saved: Saved, input: Input) => void;
  /** The fields, where a list is not enough. */
  children?: (form: FormState<DraftOf<Fields>>) => ReactNode;
}

/** A dialog over a table of fields. Problems are at their fields, the first of which gets the focus. */
export function EditDialog<Input, Of extends Specs, Saved>(props: EditDialogProps<Input, Of, Saved>) {
  const { edited, problem, children, onSaved = props.onClose } = props;
  const form = useEditForm(props, onSaved);
  return (
    <FormDialog
      {...props}
      ref={form.element}
      pending={form.pending}
      problem={form.rest.length > 0 ? <p>{form.rest.join("; ")}</p> : problem}
      notice={edited && <FormConflict form={form} {...edited} />}
      onSubmit={form.submit}
    >
      {children?.(form) ?? <Fields form={form} />}
    </FormDialog>
  );
}
