"use client";

import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import type { LastEdit } from "@/lib/contract/last-edit";
import { FormDialog, type FormDialogProps } from "../form-dialog";
import { type DraftState, useDraft } from "../use-draft";
import { type SaveOptions, useSave } from "../use-save";
import { readInput } from "./draft-input";
import { Fields } from "./field";
import type { DraftOf, FieldSpec, FormTable } from "./fields";
import { FormConflict } from "./form-page";
import { type FormState, useForm } from "./use-form";

type Specs = Readonly<Record<string, FieldSpec<unknown>>>;

export interface EditDialogProps<Input, Fields extends Specs, Saved>
  extends Pick<
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
  table: FormTable<Input, Fields>;
  /** What is stored, or the values that a new one begins with. */
  initial?: Partial<Input> | object;
  /** Where the input stands in what is sent; paths of problems may begin with it. */
  root?: string;
  /** What is edited, as it is stored; a save names the revision that the draft began with. */
  edited?: { subject: string; lastEdit: LastEdit | undefined };
  /** @param revision of what is edited */
  save: (input: Input, revision: number | undefined) => Promise<Saved>;
  /** Read again once it is saved, and where another save came first. */
  stale: readonly QueryKey[];
  /** The notice of the success. */
  done?: SaveOptions<Input, Saved>["toast"];
  /** Opens what comes next; without it the dialog closes. */
  onSaved?: (saved: Saved, input: Input) => void;
  /** The draft, where what is around the dialog reads it. */
  held?: DraftState<DraftOf<Fields>>;
  /** The fields, where they are more than a list. */
  children?: (form: FormState<DraftOf<Fields>>) => ReactNode;
}

const toNothing = () => null;

/** A dialog over a table of fields. Problems are at their fields, the first of which gets the focus. */
export function EditDialog<Input, Of extends Specs, Saved>(props: EditDialogProps<Input, Of, Saved>) {
  const {
    table,
    initial,
    root = "",
    edited,
    save,
    stale,
    done = toNothing,
    onSaved,
    children,
    problem,
    ...dialog
  } = props;
  const refresh = useInvalidate(...stale);
  const own = useDraft(() => readInput(table, initial), { base: String(edited?.lastEdit?.revision ?? "") });
  const { held = own } = props;
  const saving = useSave<Input, Saved>({
    send: (input) => save(input, held.base === "" ? undefined : Number(held.base)),
    onSaved: async (saved, input) => {
      await refresh();
      if (onSaved === undefined) dialog.onClose();
      else onSaved(saved, input);
    },
    onConflict: () => void refresh(),
    toast: done,
  });
  const form = useForm(table, { held, saving, root, guarded: false });
  return (
    <FormDialog
      {...dialog}
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
