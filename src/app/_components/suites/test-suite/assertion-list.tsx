import { Plus, X } from "lucide-react";
import { useId } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { Button, IconButton } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { type AssertionDraft, createDraft, ERROR_KINDS, KIND_WORDS } from "./assertion-draft";

const KINDS = Object.entries(KIND_WORDS) as [AssertionDraft["kind"], string][];
const PATH_WORDS = { equals: "equals", contains: "contains", exists: "exists", absent: "is absent" } as const;
const PATHS = Object.entries(PATH_WORDS) as [AssertionDraft["is"], string][];

interface AssertionListProps {
  drafts: readonly AssertionDraft[];
  /** The problem of each one, by its id. */
  problems: ReadonlyMap<number, string>;
  onChange: (drafts: readonly AssertionDraft[]) => void;
}

/** The expectations of a test, one below the other. */
export function AssertionList({ drafts, problems, onChange }: AssertionListProps) {
  const change = (id: number, part: Partial<AssertionDraft>): void =>
    onChange(drafts.map((draft) => (draft.id === id ? { ...draft, ...part } : draft)));
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Assertions</legend>
      <p className="mb-2 text-mute text-xs">
        All of them have to hold. Without one about a failure, the call has to succeed. Masked values equal any value.
      </p>
      <ul className="flex flex-col gap-2">
        {drafts.map((draft, at) => (
          <li key={draft.id} data-assertion={draft.kind} className="rounded-lg border border-line p-2.5">
            <Assertion
              draft={draft}
              label={`Assertion ${at + 1}`}
              problem={problems.get(draft.id)}
              onChange={(part) => change(draft.id, part)}
              onRemove={() => onChange(drafts.filter(({ id }) => id !== draft.id))}
            />
          </li>
        ))}
      </ul>
      <Button icon={Plus} className="mt-2" onClick={() => onChange([...drafts, createDraft()])}>
        Add assertion
      </Button>
    </fieldset>
  );
}

interface AssertionProps {
  draft: AssertionDraft;
  label: string;
  problem: string | undefined;
  onChange: (part: Partial<AssertionDraft>) => void;
  onRemove: () => void;
}

function Assertion({ draft, label, problem, onChange, onRemove }: AssertionProps) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <NativeSelect
          aria-label={label}
          value={draft.kind}
          className="w-auto!"
          onChange={({ target }) => onChange({ kind: target.value as AssertionDraft["kind"] })}
        >
          {KINDS.map(([kind, words]) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </NativeSelect>
        <IconButton icon={X} label={`Remove ${label.toLowerCase()}`} className="ml-auto" onClick={onRemove} />
      </div>
      <AssertionFields draft={draft} onChange={onChange} problems={problem === undefined ? [] : [problem]} />
    </div>
  );
}

interface FieldsProps {
  draft: AssertionDraft;
  onChange: (part: Partial<AssertionDraft>) => void;
  problems: readonly string[];
}

function AssertionFields({ draft, onChange, problems }: FieldsProps) {
  const { kind, is } = draft;
  const json = (label: string, hint?: string) => (
    <DraftField
      {...{ label, hint, mono: true, rows: 2, field: "value", problems, value: draft.json }}
      onChange={(next) => onChange({ json: next })}
    />
  );
  if (kind === "time" || kind === "size") {
    return (
      <DraftField
        label={kind === "time" ? "Milliseconds" : "Bytes"}
        field="number"
        inputMode="numeric"
        value={draft.number}
        problems={problems}
        onChange={(number) => onChange({ number })}
      />
    );
  }
  if (kind === "error") return <ErrorFields {...{ draft, onChange, problems }} />;
  if (kind === "schema") return json("JSON Schema");
  if (kind === "subset") return json("JSON value", "Members that have to be there; items in this order.");
  if (kind === "path") {
    return (
      <>
        <PathFields {...{ draft, onChange, problems: is === "exists" || is === "absent" ? problems : [] }} />
        {(is === "equals" || is === "contains") && json("JSON value")}
      </>
    );
  }
  return (
    <>
      {json("JSON value")}
      <DraftField
        label="Ignored paths (optional)"
        field="ignore"
        mono
        rows={1}
        value={draft.ignore}
        placeholder="/items/*/updatedAt"
        hint="One a line. * matches any member or item."
        onChange={(ignore) => onChange({ ignore })}
      />
    </>
  );
}

function PathFields({ draft, onChange, problems }: FieldsProps) {
  const id = useId();
  return (
    <div className="grid gap-2 sm:grid-cols-[1fr_auto]">
      <DraftField
        label="Path"
        field="path"
        mono
        placeholder="/items/0/name"
        value={draft.path}
        problems={problems}
        onChange={(path) => onChange({ path })}
      />
      <label htmlFor={id} className="flex flex-col gap-1 font-medium">
        Condition
        <NativeSelect
          id={id}
          value={draft.is}
          onChange={({ target }) => onChange({ is: target.value as AssertionDraft["is"] })}
        >
          {PATHS.map(([is, words]) => (
            <option key={is} value={is}>
              {words}
            </option>
          ))}
        </NativeSelect>
      </label>
    </div>
  );
}

function ErrorFields({ draft, onChange, problems }: FieldsProps) {
  const id = useId();
  return (
    <div className="grid gap-2 sm:grid-cols-[auto_1fr]">
      <label htmlFor={id} className="flex flex-col gap-1 font-medium">
        Error kind
        <NativeSelect
          id={id}
          value={draft.error}
          onChange={({ target }) => onChange({ error: target.value as AssertionDraft["error"] })}
        >
          {ERROR_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </NativeSelect>
      </label>
      <DraftField
        label="Message contains (optional)"
        field="message"
        value={draft.message}
        problems={problems}
        onChange={(message) => onChange({ message })}
      />
    </div>
  );
}
