"use client";

import { useId, useState } from "react";
import { describedBy, FieldProblems, FormField } from "@/app/_components/tools/editor/form-field";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Input, NativeSelect, Textarea } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { KIND_LABELS } from "../model-words";
import { KeyField } from "./key-field";
import { PriceRows } from "./price-rows";
import { draftOf, EDITABLE_KINDS, KIND_FACTS, newDraft, type ProviderDraft, withKind } from "./provider-draft";
import { useSaveProvider } from "./use-save-provider";

export interface ProviderFormProps {
  editing: ModelProviderSummary | null;
  onDone: () => void;
}

const NONE: readonly string[] = [];

/** Kind first, since everything else follows from it. */
export function ProviderForm({ editing, onDone }: ProviderFormProps) {
  const [draft, setDraft] = useState(() => (editing === null ? newDraft("anthropic") : draftOf(editing)));
  const { save, pending, problems } = useSaveProvider(editing?.name ?? null, onDone);
  const id = useId();
  const change = (part: Partial<ProviderDraft>) => setDraft((before) => ({ ...before, ...part }));
  const facts = KIND_FACTS[draft.kind];
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!pending) save(draft);
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField id={`${id}-kind`} label="Kind" dataKey="kind" hint={facts.about} problems={problems.kind ?? NONE}>
          <NativeSelect
            id={`${id}-kind`}
            value={draft.kind}
            invalid={problems.kind !== undefined}
            aria-describedby={describedBy(`${id}-kind`, { hint: true, problems: problems.kind ?? NONE })}
            onChange={({ target }) => {
              const kind = EDITABLE_KINDS.find((each) => each === target.value);
              if (kind !== undefined) setDraft((before) => withKind(before, kind));
            }}
          >
            {EDITABLE_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KIND_LABELS[kind]}
              </option>
            ))}
          </NativeSelect>
        </FormField>
        <TextPart
          {...{ draft, change, problems: problems.name ?? NONE }}
          part="name"
          label="Name"
          required
          readOnly={editing !== null}
          hint={editing === null ? "Runs and checks refer to it by this name." : "Fixed: runs and checks refer to it."}
        />
      </div>
      <KeyField
        draft={draft}
        stored={editing?.key ?? null}
        hint={facts.key}
        problems={problems.apiKey ?? NONE}
        change={change}
      />
      <TextPart
        {...{ draft, change, problems: problems.baseUrl ?? NONE }}
        part="baseUrl"
        label="Base URL"
        required={facts.addressRequired}
        placeholder={facts.address}
        hint={facts.addressRequired ? "Where the server's API begins." : "Only for a proxy or another address."}
      />
      <FormField
        id={`${id}-models`}
        label="Models"
        dataKey="models"
        hint="One a line, the first one by default. Offered beside those that the provider lists."
        problems={problems.models ?? NONE}
      >
        <Textarea
          id={`${id}-models`}
          rows={3}
          value={draft.modelsText}
          invalid={problems.models !== undefined}
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono text-xs!"
          aria-describedby={describedBy(`${id}-models`, { hint: true, problems: problems.models ?? NONE })}
          onChange={({ target }) => change({ modelsText: target.value })}
        />
      </FormField>
      <PriceRows prices={draft.prices} problems={problems.prices ?? NONE} onChange={(prices) => change({ prices })} />
      {problems.whole !== undefined && (
        <Alert live tone="bad" title="It was not saved">
          <FieldProblems id={`${id}-whole`} problems={problems.whole} />
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button size="md" onClick={onDone}>
          Cancel
        </Button>
        <Button size="md" type="submit" variant="primary" disabled={pending}>
          {pending ? "Saving…" : editing === null ? "Add provider" : "Save"}
        </Button>
      </div>
    </form>
  );
}

interface TextPartProps {
  draft: ProviderDraft;
  change: (part: Partial<ProviderDraft>) => void;
  problems: readonly string[];
  part: "name" | "baseUrl";
  label: string;
  hint: string;
  required?: boolean;
  readOnly?: boolean;
  placeholder?: string;
}

function TextPart({ draft, change, problems, part, label, hint, required = false, ...input }: TextPartProps) {
  const id = useId();
  return (
    <FormField id={id} label={label} dataKey={part} required={required} hint={hint} problems={problems}>
      <Input
        {...input}
        id={id}
        value={draft[part]}
        invalid={problems.length > 0}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-required={required || undefined}
        className="font-mono text-xs! read-only:text-mute"
        aria-describedby={describedBy(id, { hint: true, problems })}
        onChange={({ target }) => change({ [part]: target.value })}
      />
    </FormField>
  );
}
