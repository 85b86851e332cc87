import { type Stale, useInvalidate } from "@/app/_trpc/use-invalidate";
import type { LastEdit } from "@/lib/contract/last-edit";
import { type DraftState, useDraft } from "../use-draft";
import { type SaveOptions, useSave } from "../use-save";
import { readInput } from "./draft-input";
import type { DraftOf, FieldSpec, FormTable } from "./fields";
import { type FormState, useForm } from "./use-form";

export type Specs = Readonly<Record<string, FieldSpec<unknown>>>;

export interface EditFormOptions<Input, Fields extends Specs, Saved> {
  table: FormTable<Input, Fields>;
  /** The stored values, or the defaults of a new object. */
  initial?: Partial<Input> | object;
  /** The key of the input in the request, with which paths of problems may begin. */
  root?: string;
  /** The stored object; a save names the revision from which the draft was made. */
  edited?: { subject: string; lastEdit: LastEdit | undefined };
  /** The draft, for parts around the form that read it. */
  held?: DraftState<DraftOf<Fields>>;
  /** @param revision the revision of the edited object */
  save: (input: Input, revision: number | undefined) => Promise<Saved>;
  /** Read again once it is saved, and where another save came first. */
  stale: readonly Stale[];
  /** The notice of the success. */
  done?: SaveOptions<Input, Saved>["toast"];
}

/** A form over a table of fields, which is sent as a whole. */
export function useEditForm<Input, Fields extends Specs, Saved>(
  { table, initial, root = "", edited, save, stale, done = null, ...options }: EditFormOptions<Input, Fields, Saved>,
  onSaved: (saved: Saved, input: Input) => void,
): FormState<DraftOf<Fields>> {
  const refresh = useInvalidate(...stale);
  const own = useDraft(() => readInput(table, initial), { base: String(edited?.lastEdit?.revision ?? "") });
  const { held = own } = options;
  const saving = useSave<Input, Saved>({
    send: (input) => save(input, held.base === "" ? undefined : Number(held.base)),
    onSaved: async (saved, input) => {
      await refresh();
      onSaved(saved, input);
    },
    onConflict: () => void refresh(),
    toast: done,
  });
  return useForm(table, { held, saving, root, guarded: false });
}
