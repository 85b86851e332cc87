import { useId } from "react";
import type { PickedModel } from "@/app/_components/models/picker/model-button";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { Field } from "@/app/_kit/form/field";
import { splitLines } from "@/app/_kit/form/fields";
import { RemoveRow, RowList } from "@/app/_kit/form/row-list";
import { toRowPath } from "@/app/_kit/form/secret-fields";
import type { FormState } from "@/app/_kit/form/use-form";
import { describedBy, FieldProblems, FormField } from "@/app/_kit/form-field";
import { Input, Textarea } from "@/app/_ui/field";
import { isSentRoot, type ServerDraft } from "./server-fields";
import { getKindWords } from "./server-kinds";

export interface ServerFieldsProps {
  form: FormState<ServerDraft>;
}

export interface KindFieldsProps extends ServerFieldsProps {
  /** The name of the server that is changed; null for a new one. */
  editing: string | null;
}

/** Settings with a good default. */
export function AdvancedFields({ form, open }: ServerFieldsProps & { open: boolean }) {
  const kind = getKindWords(form.draft);
  return (
    <details open={open} className="rounded-lg border border-line bg-panel">
      <summary className="rounded-lg px-3 py-2 font-medium">{kind.advanced}</summary>
      <div className="flex flex-col gap-4 border-line border-t p-3">
        <Field form={form} at="approval" />
        <Field form={form} at="changedTools" />
        <div className="flex flex-col gap-2">
          <Field form={form} at="toolFilter.mode" />
          <Field form={form} at="toolFilter.names" />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <PathLines form={form} part="arguments" label="Masked arguments" placeholder="/password" />
          <PathLines form={form} part="results" label="Masked results" placeholder="/structuredContent/token" />
        </div>
        <div className="flex flex-col gap-2">
          <Field form={form} at="sampling.mode" />
          {form.isShown("sampling.model") && <SamplingModel form={form} />}
          <Field form={form} at="sampling.requestsPerCall" />
          <Field form={form} at="sampling.tokensPerCall" />
          <Field form={form} at="sampling.requestsPerHour" />
          <Field form={form} at="sampling.tokensPerHour" />
        </div>
        <Field form={form} at="askPeople" />
        <Field form={form} at="single" />
        <Field form={form} at="protocol" />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field form={form} at="timeoutMs" />
          <Field form={form} at="maxTotalTimeoutMs" />
          <Field form={form} at="connectTimeoutMs" hint={kind.connectHint} />
          <Field form={form} at="listTtlMs" />
        </div>
        {form.isShown("roots") && <RootRows form={form} />}
      </div>
    </details>
  );
}

interface PathLinesProps extends ServerFieldsProps {
  part: "arguments" | "results";
  label: string;
  placeholder: string;
}

/** Chooses which values of its tools the log of calls stores masked. Both parts are one list, paths in arguments first. */
function PathLines({ form, part, label, placeholder }: PathLinesProps) {
  const id = useId();
  const { sensitive } = form.draft;
  const first = part === "arguments" ? 0 : splitLines(sensitive.arguments).length;
  const problems = [
    ...(part === "arguments" ? form.findProblems("sensitive") : []),
    ...splitLines(sensitive[part]).flatMap((line, at) =>
      ["path", "tool"]
        .flatMap((name) => form.findProblems(`sensitive[${first + at}].${name}`))
        .map((text) => `${line}: ${text}`),
    ),
  ];
  return (
    <FormField
      id={id}
      label={label}
      dataKey={`sensitive.${part}`}
      hint="One path per line; * matches any item. A tool's name before it limits it to this tool: login /pin."
      problems={problems}
    >
      <Textarea
        id={id}
        data-field={`sensitive.${part}`}
        value={sensitive[part]}
        invalid={problems.length > 0}
        rows={3}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        className="font-mono text-xs!"
        aria-describedby={describedBy(id, { hint: true, problems })}
        onChange={({ target }) => form.change({ sensitive: { ...sensitive, [part]: target.value } })}
      />
    </FormField>
  );
}

/** Provider and model are chosen together. */
function SamplingModel({ form }: ServerFieldsProps) {
  const id = useId();
  const { draft, change } = form;
  const problems = ["sampling.model", "sampling.provider"].flatMap(form.findProblems).slice(0, 1);
  return (
    // A problem of `sampling.model` focuses this element; one of `sampling.provider` focuses the button inside.
    <div data-field="sampling.model" tabIndex={-1} className="max-w-md">
      <ModelPicker
        value={{ provider: draft["sampling.provider"], model: draft["sampling.model"] }}
        onChange={({ provider, model }: PickedModel) =>
          change({ "sampling.provider": provider, "sampling.model": model })
        }
        field="sampling.provider"
        aria-describedby={describedBy(id, { hint: false, problems })}
      />
      <FieldProblems id={id} problems={problems} />
    </div>
  );
}

function RootRows({ form }: ServerFieldsProps) {
  const { roots } = form.draft;
  const { label, hint } = form.fields.roots ?? {};
  return (
    <RowList
      legend={label ?? ""}
      dataKey="roots"
      hint={hint}
      problems={form.findProblems("roots")}
      addLabel="Add root"
      rows={roots}
      newRow={() => ({ uri: "", name: "" })}
      onChange={(next) => form.change({ roots: next })}
    >
      {({ row, at, edit, remove }) => {
        const field = toRowPath("roots", roots, at, isSentRoot);
        const problems = [...form.findProblems(`${field}.uri`), ...form.findProblems(`${field}.name`)];
        return (
          <>
            <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_1.75rem] items-center gap-1.5">
              <Input
                aria-label={`Address of root ${at + 1}`}
                data-field={`${field}.uri`}
                value={row.uri}
                invalid={problems.length > 0}
                placeholder="file:///srv/data"
                spellCheck={false}
                className="font-mono text-xs!"
                onChange={(event) => edit({ uri: event.target.value })}
              />
              <Input
                aria-label={`Name of root ${at + 1}`}
                data-field={`${field}.name`}
                value={row.name ?? ""}
                placeholder="name"
                onChange={(event) => edit({ name: event.target.value })}
              />
              <RemoveRow label={`Remove root ${at + 1}`} onRemove={remove} />
            </div>
            <FieldProblems id={`root-${at}`} problems={problems} />
          </>
        );
      }}
    </RowList>
  );
}
