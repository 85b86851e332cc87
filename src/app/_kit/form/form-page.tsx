"use client";

import type { ReactNode } from "react";
import type { Permission } from "@/lib/contract/access";
import type { LastEdit } from "@/lib/contract/last-edit";
import { DraftNotice } from "../draft-notice";
import { EditConflict } from "../edit-conflict";
import { EditorForm, type EditorFormProps } from "../editor-form";
import { FormDialog, type FormDialogProps } from "../form-dialog";
import type { DraftState } from "../use-draft";
import { toDraftFields } from "./draft-input";
import type { Values } from "./fields";
import type { FormState } from "./use-form";

type Shown<Draft> = Pick<EditorFormProps, "label" | "submitLabel" | "needs" | "cancelPath" | "check"> & {
  form: FormState<Draft>;
  /** The noun of what is edited, as in "changed this server". */
  subject: string;
  lastEdit: LastEdit | undefined;
  children: ReactNode;
};

/** A page with a form: fields, check, notices about the draft and buttons. */
export function FormPage<Draft>({ form, subject, lastEdit, children, ...page }: Shown<Draft>) {
  return (
    <EditorForm
      {...page}
      ref={form.element}
      onSubmit={form.submit}
      pending={form.pending}
      refusal={form.refusal}
      notice={
        <>
          <DraftNotice held={form.held} />
          <FormConflict {...{ form, subject, lastEdit }} />
        </>
      }
    >
      {children}
    </EditorForm>
  );
}

function FormConflict<Draft>({ form, subject, lastEdit }: Pick<Shown<Draft>, "form" | "subject" | "lastEdit">) {
  return (
    <EditConflict
      // A draft by path, whose values the table reads.
      held={form.held as unknown as DraftState<Values>}
      fields={toDraftFields(form.fields)}
      pending={form.pending}
      {...{ subject, lastEdit }}
    />
  );
}

type DialogProps<Draft> = Pick<
  FormDialogProps,
  "title" | "description" | "size" | "submitLabel" | "pendingLabel" | "failure" | "onClose"
> & {
  form: FormState<Draft>;
  needs: Permission;
  /** True while data that the form needs first is loading. */
  waiting?: boolean;
  /** The noun and last edit of an edited thing. */
  edited?: { subject: string; lastEdit: LastEdit | undefined };
  children: ReactNode;
};

export function DialogForm<Draft>({ form, waiting = false, edited, ...dialog }: DialogProps<Draft>) {
  return (
    <FormDialog
      {...dialog}
      ref={form.element}
      pending={form.pending}
      disabled={waiting}
      problem={form.rest.length > 0 && <p>{form.rest.join("; ")}</p>}
      notice={edited && <FormConflict form={form} {...edited} />}
      onSubmit={form.submit}
    />
  );
}
