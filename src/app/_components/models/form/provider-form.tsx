"use client";

import { useId } from "react";
import { KIND_LABELS } from "@/app/_components/models/summary/model-words";
import { DraftField } from "@/app/_kit/draft-field";
import { EditConflict } from "@/app/_kit/edit-conflict";
import { describedBy, FieldProblems, FormField } from "@/app/_kit/form-field";
import { ownFields } from "@/app/_kit/merge-drafts";
import { sortProblems } from "@/app/_kit/problems";
import { useDraft } from "@/app/_kit/use-draft";
import { toEdited } from "@/app/_kit/use-save";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { KeyField } from "./key-field";
import { PriceRows } from "./price-rows";
import {
  draftOf,
  EDITABLE_KINDS,
  KIND_FACTS,
  newDraft,
  PROVIDER_FIELDS,
  type ProviderDraft,
  readDraft,
  withKind,
} from "./provider-draft";
import { useSaveProvider } from "./use-save-provider";

export interface ProviderFormProps {
  editing: ModelProviderSummary | null;
  onDone: () => void;
}

const PROVIDER_PARTS = ownFields<ProviderDraft>(
  { baseUrl: "Base URL", keyMode: "API key", modelsText: "Models" },
  ({ apiKey: _secret, prices, ...draft }) => ({ ...draft, prices: prices.map(({ key: _key, ...price }) => price) }),
);
const NONE: readonly string[] = [];

/** Kind first, since everything else follows from it. */
export function ProviderForm({ editing, onDone }: ProviderFormProps) {
  const held = useDraft(() => (editing === null ? newDraft("anthropic") : draftOf(editing)), {
    base: String(editing?.lastEdit?.revision ?? ""),
  });
  const { draft, change, replace } = held;
  const edited = toEdited(editing?.name ?? null, held.base);
  const { save, pending, problems: found } = useSaveProvider(edited, onDone);
  const problems = sortProblems(found, PROVIDER_FIELDS, "provider");
  const id = useId();
  const facts = KIND_FACTS[draft.kind];
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!pending) save(readDraft(draft));
      }}
    >
      <EditConflict
        {...{ held, pending }}
        fields={PROVIDER_PARTS}
        subject="model provider"
        lastEdit={editing?.lastEdit}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField id={`${id}-kind`} label="Kind" dataKey="kind" hint={facts.about} problems={problems.kind ?? NONE}>
          <NativeSelect
            id={`${id}-kind`}
            value={draft.kind}
            invalid={problems.kind !== undefined}
            aria-describedby={describedBy(`${id}-kind`, { hint: true, problems: problems.kind ?? NONE })}
            onChange={({ target }) => {
              const kind = EDITABLE_KINDS.find((each) => each === target.value);
              if (kind !== undefined) replace(withKind(draft, kind));
            }}
            options={EDITABLE_KINDS.map((kind) => [kind, KIND_LABELS[kind]])}
          />
        </FormField>
        <DraftField
          field="name"
          label="Name"
          required
          mono
          readOnly={editing !== null}
          value={draft.name}
          problems={problems.name ?? NONE}
          hint={editing === null ? "Runs and checks use this name." : "Can't be changed: runs and checks use it."}
          onChange={(name) => change({ name })}
        />
      </div>
      <KeyField
        draft={draft}
        stored={editing?.key ?? null}
        hint={facts.key}
        problems={problems.apiKey ?? NONE}
        change={change}
      />
      <DraftField
        field="baseUrl"
        label="Base URL"
        mono
        required={facts.addressRequired}
        placeholder={facts.address}
        value={draft.baseUrl}
        problems={problems.baseUrl ?? NONE}
        hint={facts.addressRequired ? "The base address of the API." : "Only for a proxy or a custom address."}
        onChange={(baseUrl) => change({ baseUrl })}
      />
      <DraftField
        field="models"
        label="Models"
        mono
        rows={3}
        value={draft.modelsText}
        problems={problems.models ?? NONE}
        hint="One per line. The first is the default. Added to the models that the provider lists."
        onChange={(modelsText) => change({ modelsText })}
      />
      <PriceRows prices={draft.prices} problems={problems.prices ?? NONE} onChange={(prices) => change({ prices })} />
      {problems[""] !== undefined && (
        <Alert live tone="bad" title="Couldn't save">
          <FieldProblems id={`${id}-whole`} problems={problems[""]} />
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button size="md" onClick={onDone}>
          Cancel
        </Button>
        <Button needs="administer" size="md" type="submit" variant="primary" disabled={pending}>
          {pending ? "Saving…" : editing === null ? "Add provider" : "Save"}
        </Button>
      </div>
    </form>
  );
}
