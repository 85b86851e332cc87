import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import type { Problem } from "@/lib/contract/problem";
import { sortProblems } from "../problems";
import type { DraftState } from "../use-draft";
import { useLeaveGuard } from "../use-leave-guard";
import type { Save } from "../use-save";
import { checkDraft, writeInput } from "./draft-input";
import type { DraftOf, FieldSpec, FieldsState, FormTable, Values } from "./fields";

/** The server's verdict on a draft while it is being written. */
interface FormVerdict {
  /** False while the newest draft has not been checked. */
  current: boolean;
  problems: readonly Problem[];
  /** Whether the verdict covers the current value of a field. */
  covers: (path: string) => boolean;
}

interface FormOptions<Input, Fields extends Readonly<Record<string, FieldSpec<unknown>>>> {
  held: DraftState<DraftOf<Fields>>;
  saving: Save<Input>;
  /** Its problems are shown at fields after an attempt to save. Without one, those of the last attempt to save are shown. */
  verdict?: FormVerdict;
  /** The key of the input in the request, with which paths of problems may begin. */
  root?: string;
  /** Unsaved changes elsewhere on the page. */
  dirty?: boolean;
  /** False: the page may be left with unsaved changes. */
  guarded?: boolean;
}

export interface FormState<Draft = Values> extends FieldsState<Draft> {
  held: DraftState<Draft>;
  /** The form's element, in which fields are found. */
  element: RefObject<HTMLFormElement | null>;
  submit: () => void;
  pending: boolean;
  /** A user has tried to save. */
  attempted: boolean;
  goTo: (path: string) => void;
  /** Why the server refused what is sent. */
  refusal: string | null;
  /** Problems of the last attempt that belong to no field. */
  rest: readonly string[];
}

const NONE: readonly string[] = [];

/** A form over its table: problems at fields, the first of which gets the focus, and saving. */
export function useForm<Input, Fields extends Readonly<Record<string, FieldSpec<unknown>>>>(
  table: FormTable<Input, Fields>,
  { held, saving, verdict, root = "", dirty = held.dirty, guarded = true }: FormOptions<Input, Fields>,
): FormState<DraftOf<Fields>> {
  const { draft } = held;
  const [attempts, setAttempts] = useState(0);
  const [revealed, reveal] = useState<string | null>(null);
  const element = useRef<HTMLFormElement>(null);
  useLeaveGuard(guarded && dirty && !saving.pending);
  const input = writeInput(table, draft);
  // A refusal of settings that have been edited since is outdated.
  const isRefused = saving.refusal !== null && JSON.stringify(saving.refusal.input) === JSON.stringify(input);
  const attempted = attempts > 0;
  // After the first attempt to save, the form checks its own rules while the user types.
  const found = attempted && saving.refusal === null ? checkDraft(table, draft) : saving.problems;
  const sorted = sortProblems(found, Object.keys(table.fields), root);

  function findProblems(path: string): readonly string[] {
    if (verdict === undefined) return sorted[path] ?? NONE;
    if (!attempted) return NONE;
    const mine = verdict.problems.filter((problem) => problem.path === path);
    return mine.length > 0 && verdict.covers(path) ? mine.map(({ message }) => message) : NONE;
  }
  function submit() {
    if (saving.pending) return;
    setAttempts(attempts + 1);
    const problems = checkDraft(table, draft);
    // A draft with known problems is not sent.
    if (verdict?.current && verdict.problems.length > 0) return;
    if (problems.length > 0) saving.reset();
    else saving.save(input);
  }
  const goTo = (path: string): void => focusField(element.current, path);
  useProblemFocus({ attempts, verdict, refusal: saving.refusal?.message, goTo });
  return {
    fields: table.fields,
    draft,
    held,
    change: held.change,
    findProblems,
    revealed,
    reveal,
    element,
    submit,
    goTo,
    attempted,
    pending: saving.pending,
    rest: sorted[""] ?? NONE,
    isShown: (path) => table.isShown(path, draft as Values),
    refusal: isRefused ? (saving.refusal?.message ?? null) : null,
  };
}

/** Focuses the field of a path, what edits it as a part, or the first one that is marked as wrong. */
function focusField(form: HTMLFormElement | null, path: string): void {
  const named = [...(form?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
  const target =
    named.find((element) => element.dataset.field === path) ??
    named.find((element) => element.dataset.field?.startsWith(`${path}.`)) ??
    // One element edits a whole list of texts.
    named.find((element) => path.startsWith(`${element.dataset.field}[`));
  const found = target ?? form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]');
  const details = found?.closest("details");
  if (details) details.open = true;
  found?.focus();
}

interface ProblemFocus extends Pick<FormOptions<unknown, never>, "verdict"> {
  attempts: number;
  refusal: string | undefined;
  goTo: (path: string) => void;
}

/**
 * After an attempt the first problem gets the focus, including one of a draft that was sent before its verdict arrived.
 */
function useProblemFocus({ attempts, verdict, refusal, goTo }: ProblemFocus): void {
  const led = useRef(0);
  const isChecked = verdict?.current ?? true;
  const onChecked = useEffectEvent(() => {
    if (verdict === undefined) return goTo("");
    const [first] = verdict.problems;
    if (led.current !== attempts && first !== undefined) goTo(first.path);
    led.current = attempts;
  });
  // Outside system: the keyboard focus, once problems are marked.
  useEffect(() => {
    if (isChecked && (attempts > 0 || refusal !== undefined)) onChecked();
  }, [attempts, isChecked, refusal]);
}
