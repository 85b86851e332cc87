import { useId } from "react";
import { MODEL_QUERIES } from "@/app/_components/models/summary/use-live-models";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import type { DraftOf } from "@/app/_kit/form/fields";
import { RemoveRow, RowList } from "@/app/_kit/form/row-list";
import type { Secret } from "@/app/_kit/form/secret";
import type { FormState } from "@/app/_kit/form/use-form";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { client } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";
import { KIND_FACTS, NEW_PRICE, PROVIDER_FORM, type PriceRow } from "./provider-fields";

const PARTS = [
  { part: "model", label: "Model" },
  { part: "input", label: "Input" },
  { part: "output", label: "Output" },
  { part: "cachedInput", label: "Cached input" },
] as const;

interface ProviderDialogProps {
  /** The provider to change; null adds one. */
  editing: ModelProviderSummary | null;
  onClose: () => void;
}

/** Returns the initial values of the form. A new provider has the name of its kind until it gets another one. */
export function toInitial(editing: ModelProviderSummary | null): object {
  if (editing === null) return { kind: "anthropic", name: "anthropic" };
  return { ...editing, apiKey: editing.key.state === "none" ? undefined : null };
}

/** The kind comes first, since the other fields depend on it. */
export function ProviderDialog({ editing, onClose }: ProviderDialogProps) {
  return (
    <EditDialog
      size="lg"
      title={editing === null ? "Add model provider" : `Edit ${editing.name}`}
      description="The key is stored encrypted on this server and sent only to the provider. It is never shown again."
      needs="administer"
      submitLabel={editing === null ? "Add provider" : "Save"}
      table={PROVIDER_FORM}
      initial={toInitial(editing)}
      root="provider"
      {...(editing !== null && { edited: { subject: "model provider", lastEdit: editing.lastEdit } })}
      save={(provider, revision) =>
        editing === null
          ? client.models.createProvider.mutate({ provider })
          : client.models.updateProvider.mutate({ name: editing.name, revision, provider })
      }
      stale={MODEL_QUERIES}
      done={({ name }) => (editing === null ? `${name} added` : `${name} saved`)}
      onClose={onClose}
    >
      {(form) => <ProviderFields form={form} editing={editing} />}
    </EditDialog>
  );
}

interface ProviderFieldsProps extends Pick<ProviderDialogProps, "editing"> {
  form: FormState<DraftOf<(typeof PROVIDER_FORM)["fields"]>>;
}

function ProviderFields({ form, editing }: ProviderFieldsProps) {
  const { draft, change, findProblems } = form;
  const facts = KIND_FACTS[draft.kind];
  function changeKind(part: Partial<typeof draft>) {
    change({ ...part, ...(draft.name === draft.kind && { name: part.kind }) });
  }
  return (
    <>
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
    </>
  );
}

interface KeyFieldProps {
  secret: Secret;
  /** The server's summary of the stored key; null for a new provider. */
  stored: ModelProviderSummary["key"] | null;
  hint: string;
  problems: readonly string[];
  onChange: (secret: Secret) => void;
}

/** Write-only: a stored key is kept, replaced or deleted, and never sent to the browser. */
function KeyField({ secret, stored, hint, problems, onChange }: KeyFieldProps) {
  const id = useId();
  const known = stored !== null && stored.state !== "none";
  const keep = () => onChange({ ...secret, value: null, removed: false });
  return (
    <FormField id={id} label="API key" dataKey="apiKey" hint={hint} problems={problems}>
      {!known || (secret.value !== null && !secret.removed) ? (
        <div className="flex gap-2" {...(known && leaveOnEscape(keep, id))}>
          <Input
            id={id}
            type="password"
            value={secret.value ?? ""}
            invalid={problems.length > 0}
            autoFocus={known}
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore=""
            placeholder={known ? "Leave empty to keep the stored key" : undefined}
            className="font-mono text-xs!"
            aria-describedby={describedBy(id, { hint: true, problems })}
            onChange={({ target }) => onChange({ ...secret, value: target.value })}
          />
          {known && (
            <Button size="md" onClick={keep}>
              Keep the current key
            </Button>
          )}
        </div>
      ) : (
        <div className="flex min-h-8 flex-wrap items-center gap-2 rounded-md border border-edge border-dashed py-0.5 pr-1 pl-2.5 text-xs">
          <span className="min-w-0 flex-1 text-mute">
            {secret.removed ? "Deleted when you save" : presentKey(stored)}
          </span>
          {secret.removed ? (
            <Button id={id} variant="ghost" onClick={keep}>
              Keep the stored key
            </Button>
          ) : (
            <>
              <Button id={id} variant="ghost" onClick={() => onChange({ ...secret, value: "" })}>
                Replace the key
              </Button>
              {stored.state !== "environment" && (
                <Button variant="ghost" onClick={() => onChange({ ...secret, removed: true })}>
                  Delete the key
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </FormField>
  );
}

function presentKey({ state, variable }: ModelProviderSummary["key"]): string {
  if (state === "environment") return variable === null ? "from the environment" : `from ${variable}`;
  return state === "unreadable" ? "Stored, but unreadable: replace it" : "•••••• stored";
}

interface PriceRowsProps {
  prices: readonly PriceRow[];
  problems: readonly string[];
  onChange: (prices: readonly PriceRow[]) => void;
}

/** Prices of models, for the cost of runs. Providers have no API for prices, so users enter them. */
function PriceRows({ prices, problems, onChange }: PriceRowsProps) {
  const id = useId();
  return (
    <RowList
      legend="Prices"
      dataKey="prices"
      hint="US dollars per million tokens. Runs of a model without prices show tokens only."
      problems={problems}
      addLabel="Add price"
      rows={prices}
      newRow={() => NEW_PRICE}
      onChange={onChange}
    >
      {({ row, at, edit, remove }) => (
        <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2">
          <div className="grid grid-cols-3 gap-2 sm:grid-cols-[minmax(8rem,1fr)_repeat(3,6rem)]">
            {PARTS.map(({ part, label }) => (
              <div key={part} className={cx("min-w-0", part === "model" && "max-sm:col-span-3")}>
                <label htmlFor={`${id}-${at}-${part}`} className="text-mute text-xs">
                  {label}
                  <span className="sr-only"> of price {at + 1}</span>
                </label>
                <Input
                  id={`${id}-${at}-${part}`}
                  inputMode={part === "model" ? undefined : "decimal"}
                  value={row[part]}
                  spellCheck={false}
                  autoCapitalize="off"
                  autoComplete="off"
                  className="font-mono text-xs!"
                  onChange={({ target }) => edit({ [part]: target.value })}
                />
              </div>
            ))}
          </div>
          <RemoveRow className="mt-5" label={`Remove price ${at + 1}`} onRemove={remove} />
        </div>
      )}
    </RowList>
  );
}
