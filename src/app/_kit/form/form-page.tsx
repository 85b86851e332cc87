import type { ReactNode } from "react";
import type { LastEdit } from "@/lib/contract/last-edit";
import { DraftNotice } from "../draft-notice";
import { EditConflict } from "../edit-conflict";
import { EditorForm, type EditorFormProps } from "../editor-form";
import type { DraftState } from "../use-draft";
import { toDraftFields } from "./draft-input";
import type { Values } from "./fields";
import type { FormState } from "./use-form";

type Shown<Draft> = Pick<EditorFormProps, "label" | "submitLabel" | "needs" | "cancelPath" | "check" | "body"> & {
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

/** Another version was saved since the draft began: what differs, and which one to keep. */
export function FormConflict<Draft>({ form, subject, lastEdit }: Pick<Shown<Draft>, "form" | "subject" | "lastEdit">) {
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
