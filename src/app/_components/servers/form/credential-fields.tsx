import { Field } from "@/app/_kit/form/field";
import { type EditableRow, RowList } from "@/app/_kit/form/row-list";
import { NamedRow, toRowPath } from "@/app/_kit/form/secret-fields";
import { Input, NativeSelect } from "@/app/_ui/field";
import type { CredentialSlot } from "@/lib/contract/credential";
import { IDENTITY_AUTH_TYPES } from "@/lib/contract/server-kind";
import type { ServerFieldsProps } from "./advanced-fields";
import { isNamedSlot, type ServerDraft } from "./server-fields";
import { canBeQuery, getSlotWords, readAuthType } from "./server-kinds";

const NEW_SLOT: CredentialSlot = { name: "" };

/** Chooses whose credentials the server receives. */
export function CredentialFields({ form }: ServerFieldsProps) {
  const { draft } = form;
  const usesProvider = IDENTITY_AUTH_TYPES.some((type) => type === readAuthType(draft));
  /** The first row is there at once. */
  function change(part: Partial<ServerDraft>) {
    const isFirst = part["credentials.mode"] === "personal" && draft["credentials.slots"].length === 0;
    form.change({ ...part, ...(isFirst && { "credentials.slots": [NEW_SLOT] }) });
  }
  return (
    <div className="grid gap-3">
      <Field form={{ ...form, change }} at="credentials.mode" />
      <Field form={form} at="credentials.results" />
      {form.isShown("credentials.slots") && <SlotRows form={form} />}
      {draft["credentials.mode"] === "personal" && !form.isShown("credentials.slots") && (
        <p className="border-line2 border-l-2 pl-3 text-mute text-xs">
          {usesProvider
            ? "The identity provider lets each user in. Users enter nothing."
            : "Each user signs in with an account of their own at the server."}
        </p>
      )}
    </div>
  );
}

function SlotRows({ form }: ServerFieldsProps) {
  const { one, hint } = getSlotWords(form.draft);
  return (
    <div className="border-line2 border-l-2 pl-3">
      <RowList
        legend="Each user enters"
        dataKey="credentials.slots"
        hint={hint}
        problems={form.findProblems("credentials.slots")}
        addLabel={`Add ${one}`}
        rows={form.draft["credentials.slots"]}
        newRow={() => NEW_SLOT}
        onChange={(slots) => form.change({ "credentials.slots": slots })}
      >
        {(row) => <SlotFields form={form} {...row} />}
      </RowList>
    </div>
  );
}

const PLACES = [
  ["header", "Header"],
  ["query", "Query parameter"],
] as const;

function SlotFields({ form, row, at, edit, remove }: ServerFieldsProps & EditableRow<CredentialSlot>) {
  const { one, placeholder } = getSlotWords(form.draft);
  const ordinal = `personal ${one} ${at + 1}`;
  const field = toRowPath("credentials.slots", form.draft["credentials.slots"], at, isNamedSlot);
  const problems = ["name", "label", "in"].flatMap((key) => form.findProblems(`${field}.${key}`));
  return (
    <NamedRow
      name={row.name}
      field={`${field}.name`}
      ordinal={ordinal}
      placeholder={placeholder}
      invalid={problems.length > 0}
      problems={[...problems, ...form.findProblems(field)]}
      onName={(name) => edit({ name })}
      onRemove={remove}
    >
      {() => (
        <div className="flex gap-1.5">
          {canBeQuery(form.draft) && (
            <NativeSelect
              aria-label={`Place of ${ordinal}`}
              data-field={`${field}.in`}
              className="w-auto!"
              value={row.in ?? "header"}
              options={PLACES}
              onChange={({ target }) => edit({ in: target.value === "query" ? "query" : "header" })}
            />
          )}
          <Input
            aria-label={`Label of ${ordinal}`}
            data-field={`${field}.label`}
            value={row.label ?? ""}
            placeholder="Label (optional)"
            autoComplete="off"
            onChange={(event) => edit({ label: event.target.value })}
          />
        </div>
      )}
    </NamedRow>
  );
}
