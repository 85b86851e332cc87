"use client";

import { Input, NativeSelect, Textarea } from "@/app/_ui/field";
import { lossyNumber, readNumber } from "@/lib/json-schema/json-number";
import { ownKeyword } from "@/lib/json-schema/resolve-ref";
import type { FieldDraft, QuestionField } from "./question-fields";

export interface QuestionFieldViewProps {
  id: string;
  field: QuestionField;
  draft: FieldDraft;
  /** Somebody was here, or tried to submit: time to say what is wrong. */
  touched: boolean;
  fault: string | null;
  sentEmpty: boolean;
  disabled: boolean;
  onChange: (draft: FieldDraft) => void;
  onSentEmpty: (sent: boolean) => void;
}

/** One field with its name, what it is for, its default, and what is wrong with it. */
export function QuestionFieldView(props: QuestionFieldViewProps) {
  const { id, field, touched, fault } = props;
  const shownFault = touched ? fault : null;
  const describedBy = [hasHint(field) && `${id}-hint`, shownFault !== null && `${id}-fault`].filter(Boolean).join(" ");
  const control: ControlProps = {
    id,
    invalid: shownFault !== null,
    "aria-required": field.required || undefined,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    disabled: props.disabled,
  };
  return (
    <div data-field={field.name} className="min-w-0">
      <FieldName field={field} id={id} />
      {field.kind === "choices" ? (
        <PickSeveral {...props} control={control} />
      ) : (
        <FieldControl {...props} control={control} />
      )}
      {offersEmpty(props) && (
        <label className="mt-1 flex w-fit items-center gap-1.5 text-mute text-xs">
          <input
            type="checkbox"
            checked={props.sentEmpty}
            disabled={props.disabled}
            onChange={(event) => props.onSentEmpty(event.target.checked)}
            className="accent-accent"
          />
          Send empty text
        </label>
      )}
      {hasHint(field) && <Hint id={`${id}-hint`} field={field} />}
      {shownFault !== null && (
        <p id={`${id}-fault`} className="mt-1 text-bad text-xs">
          {shownFault}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  id: string;
  invalid: boolean;
  "aria-required": boolean | undefined;
  "aria-describedby": string | undefined;
  disabled: boolean;
}

type WithControl = QuestionFieldViewProps & { control: ControlProps };

function FieldName({ field, id }: { field: QuestionField; id: string }) {
  const Name = field.kind === "choices" ? "p" : "label";
  return (
    <Name
      id={`${id}-name`}
      {...(Name === "label" ? { htmlFor: id } : {})}
      className="mb-1 block font-medium [overflow-wrap:anywhere]"
    >
      {field.title}
      {field.required && <span className="font-normal text-bad text-xs"> required</span>}
    </Name>
  );
}

function FieldControl({ field, draft, control, onChange }: WithControl) {
  if (typeof draft !== "string") {
    return (
      <NativeSelect
        {...control}
        value={String(draft[0] ?? "")}
        onChange={(event) => onChange(event.target.value === "" ? [] : [Number(event.target.value)])}
      >
        <option value="">{field.required ? "choose one" : "not sent"}</option>
        {field.options.map((option, at) => (
          <option key={JSON.stringify(option.value)} value={String(at)}>
            {option.label}
          </option>
        ))}
      </NativeSelect>
    );
  }
  const placeholder = field.required ? undefined : "not sent";
  if (field.kind === "lines" || field.kind === "json") {
    return (
      <Textarea
        {...control}
        value={draft}
        rows={4}
        placeholder={field.kind === "json" ? "JSON" : placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        className={field.kind === "json" ? "font-mono" : undefined}
      />
    );
  }
  const lost = field.kind === "number" && readNumber(draft) !== null ? lossyNumber(draft) : null;
  return (
    <>
      <Input
        {...control}
        {...inputType(field)}
        value={draft}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
      {lost !== null && (
        <p className="mt-1 text-warn text-xs">
          More digits than a number holds: sent as <code className="font-mono">{lost}</code>
        </p>
      )}
    </>
  );
}

/** Text inputs all: `type="number"` and `type="date"` would hide what does not fit them instead of showing it. */
function inputType(field: QuestionField): { type: string; inputMode?: "decimal" | "email" | "url" } {
  if (field.kind === "number") return { type: "text", inputMode: "decimal" };
  const format = ownKeyword(field.schema, "format");
  if (format === "email") return { type: "text", inputMode: "email" };
  return format === "uri" ? { type: "text", inputMode: "url" } : { type: "text" };
}

function PickSeveral({ field, draft, control, onChange }: WithControl) {
  const picked = typeof draft === "string" ? [] : draft;
  return (
    <fieldset
      aria-labelledby={`${control.id}-name`}
      aria-describedby={control["aria-describedby"]}
      className="flex max-h-60 flex-col gap-1 overflow-auto rounded-md border border-edge px-2.5 py-1.5"
    >
      {field.options.map((option, at) => (
        <label key={JSON.stringify(option.value)} className="flex min-h-6 items-center gap-2">
          <input
            {...(at === 0 ? { id: control.id } : {})}
            type="checkbox"
            checked={picked.includes(at)}
            disabled={control.disabled}
            onChange={(event) =>
              onChange(event.target.checked ? [...picked, at] : picked.filter((each) => each !== at))
            }
            className="accent-accent"
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

function hasHint({ description, constraints, defaultText }: QuestionField): boolean {
  return description !== null || constraints !== null || defaultText !== null;
}

function Hint({ id, field: { description, constraints, defaultText } }: { id: string; field: QuestionField }) {
  return (
    <div id={id} className="mt-1 flex flex-col gap-0.5 text-mute text-xs [overflow-wrap:anywhere]">
      {description !== null && <p className="whitespace-pre-line">{description}</p>}
      {constraints !== null && <p className="font-mono text-2xs text-faint">{constraints}</p>}
      {defaultText !== null && (
        <p>
          Default of the server: <span className="font-mono">{defaultText}</span>
        </p>
      )}
    </div>
  );
}

/** An empty text may be the answer; only where one is required can it not be left out instead. */
function offersEmpty({ field, draft }: QuestionFieldViewProps): boolean {
  if (draft !== "" || !field.required || (field.kind !== "text" && field.kind !== "lines")) return false;
  const least = ownKeyword(field.schema, "minLength");
  return !(typeof least === "number" && least > 0) && ownKeyword(field.schema, "format") === undefined;
}
