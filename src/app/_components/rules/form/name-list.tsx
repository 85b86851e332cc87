"use client";

import { X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { isSubmitKey } from "@/app/_kit/shortcuts";
import { Input } from "@/app/_ui/field";

export interface NameListProps {
  label: string;
  /** The path of the field in the saved rule. */
  field: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Names that the browser proposes. */
  proposals?: readonly string[];
  /** Hears what is typed: for proposals of a search. */
  onType?: (typed: string) => void;
  /** Shown in place of values, by value: the name of an id. */
  labels?: ReadonlyMap<string, string>;
  hint?: string | undefined;
  placeholder?: string;
  problems?: readonly string[];
  /** Values in a row of fields: the label is for screen readers, and a comma is part of a value. */
  plain?: boolean;
  /** Whether values may contain commas. */
  commas?: boolean;
}

const NONE: readonly string[] = [];
const UNLABELED: ReadonlyMap<string, string> = new Map();

/** Names or patterns as chips. Enter, a comma or leaving the field adds what is typed; Backspace removes the last. */
export function NameList(props: NameListProps) {
  const { label, field, value, onChange, proposals = NONE, labels = UNLABELED, hint, placeholder } = props;
  const { problems = NONE, plain = false, commas = plain, onType } = props;
  const id = useId();
  const [typed, setTyped] = useState("");
  function type(text: string): void {
    setTyped(text);
    onType?.(text);
  }
  function add(): void {
    const names = commas ? [typed].filter(Boolean) : typed.split(",").flatMap((name) => name.trim() || []);
    type("");
    if (names.length > 0) onChange([...new Set([...value, ...names])]);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (isSubmitKey(event.nativeEvent)) add();
    else if ((event.key === "Enter" || (event.key === "," && !commas)) && typed.trim() !== "") {
      event.preventDefault();
      add();
    } else if (event.key === "Backspace" && typed === "" && !event.repeat) onChange(value.slice(0, -1));
  }
  const control = (
    <div className="flex flex-col gap-1">
      {value.length > 0 && (
        <ul aria-label={`Chosen ${label.toLowerCase()}`} className="flex flex-wrap gap-1">
          {value.map((name) => (
            <li
              key={name}
              className="flex min-w-0 items-center gap-0.5 rounded-sm border border-line2 bg-rail pl-1.5 text-xs"
            >
              <span title={labels.has(name) ? name : undefined} className="min-w-0 font-mono [overflow-wrap:anywhere]">
                {labels.get(name) ?? name}
              </span>
              <button
                type="button"
                aria-label={`Remove ${labels.get(name) ?? name}`}
                className="flex size-5.5 items-center justify-center rounded-sm text-mute hover:text-text max-sm:size-9"
                onClick={() => {
                  onChange(value.filter((each) => each !== name));
                  document.getElementById(id)?.focus();
                }}
              >
                <X aria-hidden size={12} strokeWidth={1.6} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Input
        id={id}
        data-field={field}
        aria-label={plain ? label : undefined}
        value={typed}
        invalid={problems.length > 0}
        list={proposals.length > 0 || onType !== undefined ? `${id}-proposals` : undefined}
        placeholder={value.length === 0 ? placeholder : undefined}
        aria-describedby={describedBy(id, { hint: hint !== undefined, problems })}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono text-xs!"
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
      {(proposals.length > 0 || onType !== undefined) && (
        <datalist id={`${id}-proposals`}>
          {proposals
            .filter((each) => !value.includes(each))
            .slice(0, MAX_PROPOSALS)
            .map((each) => (
              <option key={each} value={each} label={labels.get(each)} />
            ))}
        </datalist>
      )}
    </div>
  );
  if (plain) return control;
  return (
    <FormField id={id} label={label} dataKey={field} hint={hint} problems={problems}>
      {control}
    </FormField>
  );
}

/** The limit of proposals, since a team may have thousands of tools. */
const MAX_PROPOSALS = 300;
