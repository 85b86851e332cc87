"use client";

import { useRefreshModels } from "@/app/_components/models/summary/use-live-models";
import { readInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { DialogForm } from "@/app/_kit/form/form-page";
import { useForm } from "@/app/_kit/form/use-form";
import { useDraft } from "@/app/_kit/use-draft";
import { toEdited, useSave } from "@/app/_kit/use-save";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ModelProviderInput, ModelProviderSummary } from "@/lib/contract/model";
import { KeyField } from "./key-field";
import { PriceRows } from "./price-rows";
import { KIND_FACTS, PROVIDER_FORM } from "./provider-fields";

export interface ProviderDialogProps {
  /** The provider to change; null adds one. */
  editing: ModelProviderSummary | null;
  onClose: () => void;
}

/** A new provider has the name of its kind until it gets another one. */
export function readProvider(editing: ModelProviderSummary | null) {
  if (editing === null) return readInput(PROVIDER_FORM, { kind: "anthropic", name: "anthropic" });
  return readInput(PROVIDER_FORM, { ...editing, apiKey: editing.key.state === "none" ? undefined : null });
}

/** Kind first, since everything else follows from it. */
export function ProviderDialog({ editing, onClose }: ProviderDialogProps) {
  const client = useTRPCClient();
  const refresh = useRefreshModels();
  const held = useDraft(() => readProvider(editing), { base: String(editing?.lastEdit?.revision ?? "") });
  const edited = toEdited(editing?.name ?? null, held.base);
  const saving = useSave({
    send: (provider: ModelProviderInput) =>
      edited === null
        ? client.models.createProvider.mutate({ provider })
        : client.models.updateProvider.mutate({ ...edited, provider }),
    onSaved: async () => {
      await refresh();
      onClose();
    },
    onConflict: () => void refresh(),
    toast: ({ name }) => (editing === null ? `${name} added` : `${name} saved`),
  });
  const form = useForm(PROVIDER_FORM, { held, saving, root: "provider", guarded: false });
  const { draft, change, findProblems } = form;
  const facts = KIND_FACTS[draft.kind];
  function changeKind(part: Partial<typeof draft>) {
    change({ ...part, ...(draft.name === draft.kind && { name: part.kind }) });
  }
  return (
    <DialogForm
      size="lg"
      title={editing === null ? "Add model provider" : `Edit ${editing.name}`}
      description="The key is stored encrypted on this server and sent only to the provider. It is never shown again."
      form={form}
      needs="administer"
      submitLabel={editing === null ? "Add provider" : "Save"}
      failure="Couldn't save"
      edited={{ subject: "model provider", lastEdit: editing?.lastEdit }}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field form={{ ...form, change: changeKind }} at="kind" />
        <Field
          form={form}
          at="name"
          readOnly={editing !== null}
          hint={editing === null ? "Runs and checks use this name." : "Can't be changed: runs and checks use it."}
        />
      </div>
      <KeyField
        secret={draft.apiKey}
        stored={editing?.key ?? null}
        hint={facts.key}
        problems={findProblems("apiKey")}
        onChange={(apiKey) => change({ apiKey })}
      />
      <Field
        form={form}
        at="baseUrl"
        required={facts.addressRequired}
        placeholder={facts.address}
        hint={facts.addressRequired ? "The base address of the API." : "Only for a proxy or a custom address."}
      />
      <Field form={form} at="models" />
      <PriceRows prices={draft.prices} problems={findProblems("prices")} onChange={(prices) => change({ prices })} />
    </DialogForm>
  );
}
