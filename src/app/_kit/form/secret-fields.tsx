import { type ReactNode, useId } from "react";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { RevealButton } from "@/app/_ui/reveal-button";
import { isOnlyReferences } from "@/lib/server-settings/expand-variables";
import { describedBy, FieldProblems, FormField } from "../form-field";
import type { ControlProps } from "./fields";
import { RemoveRow, RowList } from "./row-list";
import { isFilled, keepsStored, NO_SECRET, type Secret } from "./secret";

export function SecretField({ form, at, look, value, onChange }: ControlProps<Secret>) {
  const id = useId();
  const { label, required = false, hint, dataKey = at } = look;
  const problems = form.findProblems(at);
  return (
    <FormField {...{ id, label, dataKey, required, hint, problems }}>
      <SecretInput
        {...{ id, form, at, label, onChange }}
        secret={value}
        invalid={problems.length > 0}
        describedBy={describedBy(id, { hint: hint !== undefined, problems })}
      />
    </FormField>
  );
}

const NO_WORDS = { one: "value", add: "Add value", name: "" };

/** Names with values that may be secret: environment variables or headers. */
export function SecretRows({ form, at, look, value, onChange }: ControlProps<readonly Secret[]>) {
  const { one, add, name } = look.words ?? NO_WORDS;
  return (
    <RowList
      legend={look.label}
      dataKey={look.dataKey ?? at}
      hint={look.hint}
      problems={form.findProblems(at)}
      addLabel={add}
      rows={value}
      newRow={() => NO_SECRET}
      onChange={(next) => {
        // When rows move, another value would be in the place of this one.
        if (next.length !== value.length) form.reveal(null);
        onChange(next);
      }}
    >
      {(row) => (
        <SecretRow
          {...{ form, ...row }}
          field={toRowPath(at, value, row.at, isFilled)}
          ordinal={`${one} ${row.at + 1}`}
          placeholder={name}
        />
      )}
    </RowList>
  );
}

/** The path of a row in what is sent: `env[1]`. Rows that are not sent have none. */
export function toRowPath<Row>(list: string, rows: readonly Row[], at: number, isSent: (row: Row) => boolean): string {
  const row = rows[at];
  return row !== undefined && isSent(row) ? `${list}[${rows.slice(0, at).filter(isSent).length}]` : `${list}[]`;
}

interface SecretRowProps extends Pick<ControlProps<unknown>, "form"> {
  row: Secret;
  field: string;
  ordinal: string;
  placeholder: string;
  set: (secret: Secret) => void;
  remove: () => void;
}

function SecretRow({ form, row, field, ordinal, placeholder, set, remove }: SecretRowProps) {
  const nameProblems = [...form.findProblems(`${field}.name`), ...form.findProblems(field)];
  const valueProblems = form.findProblems(`${field}.value`);
  const renamed = row.stored !== undefined && row.stored !== row.name;
  return (
    <NamedRow
      name={row.name}
      field={`${field}.name`}
      ordinal={ordinal}
      placeholder={placeholder}
      invalid={nameProblems.length > 0}
      problems={[...nameProblems, ...valueProblems]}
      onName={(name) => set({ ...row, name })}
      onRemove={remove}
      note={
        renamed && (
          <p className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
            The stored value belongs to “{row.stored}”: under another name it has to be typed again.
          </p>
        )
      }
    >
      {(problemsId) => (
        <SecretInput
          form={form}
          at={`${field}.value`}
          secret={row}
          label={row.name === "" ? `Value of ${ordinal}` : `Value of ${row.name}`}
          invalid={valueProblems.length > 0}
          describedBy={problemsId}
          onChange={set}
        />
      )}
    </NamedRow>
  );
}

interface NamedRowProps {
  name: string;
  /** The name's path in the input. */
  field: string;
  /** The name of a row without a name: `header 2`. */
  ordinal: string;
  placeholder: string;
  invalid: boolean;
  problems: readonly string[];
  onName: (name: string) => void;
  onRemove: () => void;
  /** Renders the content beside the name. @param describedBy the problems' id */
  children: (describedBy: string | undefined) => ReactNode;
  /** Content below both fields. */
  note?: ReactNode;
}

/** A name as data, what belongs to it, and a button that removes both. */
export function NamedRow({ name, field, ordinal, placeholder, invalid, problems, ...props }: NamedRowProps) {
  const id = useId();
  const problemsId = describedBy(id, { hint: false, problems });
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_1.75rem] items-center gap-1.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_1.75rem]">
        <Input
          aria-label={`Name of ${ordinal}`}
          data-field={field}
          value={name}
          invalid={invalid}
          placeholder={placeholder}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono text-xs!"
          aria-describedby={problemsId}
          onChange={(event) => props.onName(event.target.value)}
        />
        <div className="max-sm:order-3 max-sm:col-span-2">{props.children(problemsId)}</div>
        <RemoveRow label={`Remove ${name === "" ? ordinal : name}`} onRemove={props.onRemove} />
      </div>
      {props.note}
      <FieldProblems id={id} problems={problems} />
    </>
  );
}

interface SecretInputProps extends Pick<ControlProps<unknown>, "form"> {
  secret: Secret;
  /** Accessible name of the value. */
  label: string;
  at: string;
  invalid: boolean;
  describedBy: string | undefined;
  id?: string;
  onChange: (secret: Secret) => void;
}

/** Stored: kept, or replaced as a whole. References such as `${TOKEN}` tell no secret and are shown. */
function SecretInput({ form, secret, label, at, invalid, describedBy, id, onChange }: SecretInputProps) {
  const { value, stored } = secret;
  const isKept = keepsStored(secret);
  if (isKept && value === null) {
    return (
      <div className="flex h-8 items-center gap-2 rounded-md border border-edge border-dashed pr-1 pl-2.5 text-mute">
        <span aria-hidden className="font-mono text-xs tracking-widest">
          ••••••
        </span>
        <span className="min-w-0 flex-1 truncate text-xs">stored</span>
        <Button id={id} variant="ghost" onClick={() => onChange({ ...secret, value: "" })} data-field={at}>
          Replace<span className="sr-only"> {label.toLowerCase()}</span>
        </Button>
      </div>
    );
  }
  const typed = value ?? "";
  const canKeep = stored !== undefined && value !== null;
  const isRevealed = form.revealed === at;
  const isPlain = isRevealed || (typed !== "" && isOnlyReferences(typed));
  const keep = (): void => onChange({ name: stored ?? secret.name, value: null, stored });
  return (
    <div className="relative" {...(canKeep && leaveOnEscape(keep, id))}>
      <Input
        id={id}
        type={isPlain ? "text" : "password"}
        aria-label={label}
        data-field={at}
        value={typed}
        invalid={invalid}
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a user may type
        placeholder={isKept ? "stored, leave empty to keep" : "value, or a ${VARIABLE}"}
        autoFocus={isKept}
        autoComplete="off"
        spellCheck={false}
        data-1p-ignore=""
        className={cx("font-mono text-xs!", canKeep ? "pr-24" : "pr-9")}
        aria-describedby={describedBy}
        onChange={(event) => onChange({ ...secret, value: event.target.value })}
      />
      <span className="absolute top-0.5 right-0.5 flex items-center">
        {canKeep && (
          <Button variant="ghost" onClick={keep}>
            Keep<span className="sr-only"> the stored {label.toLowerCase()}</span>
          </Button>
        )}
        <RevealButton
          of={label.toLowerCase()}
          revealed={isRevealed}
          disabled={typed === ""}
          onReveal={(revealed) => form.reveal(revealed ? at : null)}
        />
      </span>
    </div>
  );
}
