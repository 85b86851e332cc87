"use client";

import type { ReactNode } from "react";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import type { LastEdit } from "@/lib/contract/last-edit";
import { DraftNotice } from "../draft-notice";
import { EditConflict } from "../edit-conflict";
import { EditorForm, type EditorFormProps } from "../editor-form";
import type { DraftState } from "../use-draft";
import { toDraftFields } from "./draft-input";
import type { Values } from "./fields";
import type { FormState } from "./use-form";

type Shown<Draft> = Pick<EditorFormProps, "label" | "submitLabel" | "needs" | "cancelPath" | "check" | "columns"> & {
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
      onBlur={({ target }) => form.touch(target.dataset.field)}
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

type DialogProps<Draft> = Pick<EditorFormProps, "submitLabel" | "needs"> & {
  form: FormState<Draft>;
  /** On the button while it is saved. */
  pendingLabel?: string;
  /** The title of problems that belong to no field. */
  failure: string;
  /** True while data that the form needs first is loading. */
  waiting?: boolean;
  /** The noun and last edit of an edited thing. */
  edited?: { subject: string; lastEdit: LastEdit | undefined };
  onCancel: () => void;
  children: ReactNode;
};

/** A form in a dialog. */
export function DialogForm<Draft>(props: DialogProps<Draft>) {
  const { form, failure, waiting = false, edited, needs } = props;
  return (
    <form
      ref={form.element}
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!waiting) form.submit();
      }}
    >
      {edited === undefined ? <AccessNotice needs={needs} /> : <FormConflict form={form} {...edited} />}
      {props.children}
      {form.rest.length > 0 && (
        <Alert live tone="bad" title={failure}>
          <p>{form.rest.join("; ")}</p>
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button size="md" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button needs={needs} size="md" type="submit" variant="primary" disabled={form.pending || waiting}>
          {form.pending ? (props.pendingLabel ?? "Saving…") : props.submitLabel}
        </Button>
      </div>
    </form>
  );
}
