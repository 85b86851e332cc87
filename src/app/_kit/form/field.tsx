import { type ReactNode, useId } from "react";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import { hasMask } from "@/lib/masked-value";
import { describedBy, FieldProblems, FormField } from "../form-field";
import { DraftField } from "./draft-field";
import { type Choice, type ControlProps, type FieldLook, type FieldsState, splitLines } from "./fields";
import type { Secret } from "./secret";
import { SecretField, SecretRows } from "./secret-fields";

/** The hint for values that contain a stored secret. */
export const MASK_HINT = "[masked:…] stands for a stored secret. Leave it to keep the secret, or replace it.";

interface FieldProps<Draft> extends FieldLook, Pick<ControlProps<unknown>["look"], "readOnly" | "onPaste"> {
  form: FieldsState<Draft>;
  at: keyof Draft & string;
  label?: string;
  /** The options that can be chosen here. */
  only?: readonly string[];
  /** The options, where the table cannot know them. */
  options?: readonly Choice[];
}

/** One field of a form's table. Where the table cannot know its words, they are given here. */
export function Field<Draft>({ form, at, only, ...given }: FieldProps<Draft>) {
  const spec = form.fields[at];
  if (spec === undefined || !form.isShown(at)) return null;
  const value: unknown = form.draft[at];
  const change = (next: unknown) => form.change({ [at]: next } as Partial<Draft>);
  const options = spec.options?.filter((option) => only?.includes(option.value) ?? true);
  const look = { ...spec, ...(options && { options }), ...given };
  const shared = { form, at, look };
  switch (spec.control) {
    case "text":
    case "lines":
      return <TextControl {...shared} value={value as string} onChange={change} />;
    case "choice":
      return <ChoiceControl {...shared} value={value as string} onChange={change} />;
    case "select":
      return <SelectControl {...shared} value={value as string} onChange={change} />;
    case "choices":
      return <ChoicesControl {...shared} value={value as readonly string[]} onChange={change} />;
    case "flag":
      return <FlagControl {...shared} value={value as boolean} onChange={change} />;
    case "secret":
      return <SecretField {...shared} value={value as Secret} onChange={change} />;
    case "secrets":
      return <SecretRows {...shared} value={value as readonly Secret[]} onChange={change} />;
    case "custom":
      return spec.render?.({ ...shared, value, onChange: change }) ?? null;
  }
}

/** The fields of a form's table, in its order. */
export function Fields<Draft>({ form }: { form: FieldsState<Draft> }) {
  return Object.keys(form.fields).map((at) => <Field key={at} form={form} at={at as keyof Draft & string} />);
}

function TextControl({ form, at, look, value, onChange }: ControlProps<string>) {
  const ofLines = look.control === "lines" ? splitLines(value) : [];
  return (
    <DraftField
      required={look.required}
      mono={look.mono}
      placeholder={look.placeholder}
      maxLength={look.maxLength}
      inputMode={look.inputMode}
      type={look.type}
      autoComplete={look.autoComplete}
      short={look.short}
      proposals={look.proposals}
      rows={look.rows}
      label={look.label}
      dataKey={look.dataKey}
      readOnly={look.readOnly}
      onPaste={look.onPaste}
      value={value}
      onChange={onChange}
      field={at}
      hint={hasMask(value) ? MASK_HINT : look.hint}
      problems={[
        ...form.findProblems(at),
        ...ofLines.flatMap((line, index) => form.findProblems(`${at}[${index}]`).map((text) => `${line}: ${text}`)),
      ]}
    />
  );
}

function ChoiceControl({ form, at, look, value, onChange }: ControlProps<string>) {
  const id = useId();
  const { label, dataKey = at, options = [] } = look;
  const hint: ReactNode = look.hint ?? options.find((option) => option.value === value)?.about;
  return (
    <div className="min-w-0">
      <p title={dataKey} className="mb-1 font-medium">
        {label}
      </p>
      <Segmented label={label} value={value} options={options} onChange={onChange} />
      {hint !== undefined && <p className="mt-1 text-mute text-xs">{hint}</p>}
      <FieldProblems id={id} problems={[...new Set([dataKey, at])].flatMap((path) => form.findProblems(path))} />
    </div>
  );
}

function SelectControl({ form, at, look, value, onChange }: ControlProps<string>) {
  const id = useId();
  const { label, dataKey = at, required = false, options = [] } = look;
  const hint: ReactNode = look.hint ?? options.find((option) => option.value === value)?.about;
  const problems = form.findProblems(at);
  return (
    <FormField {...{ id, label, dataKey, required, hint, problems }}>
      <NativeSelect
        id={id}
        data-field={at}
        value={value}
        invalid={problems.length > 0}
        aria-describedby={describedBy(id, { hint: hint !== undefined, problems })}
        onChange={({ target }) => onChange(target.value)}
        options={options.map((option) => [option.value, option.label])}
      />
    </FormField>
  );
}

function ChoicesControl({ form, at, look, value, onChange }: ControlProps<readonly string[]>) {
  const id = useId();
  const { label, dataKey = at, options = [] } = look;
  const problems = form.findProblems(at);
  return (
    <fieldset>
      <legend title={dataKey} className="mb-1 font-medium">
        {label}
      </legend>
      <div className={cx("flex", options.some(({ code }) => code !== undefined) ? "flex-col" : "flex-wrap gap-x-4")}>
        {options.map((option) => (
          <label key={option.value} className="-ml-1 flex items-center gap-1.5 py-0.5">
            <Checkbox
              data-field={at}
              aria-invalid={problems.length > 0 || undefined}
              aria-describedby={describedBy(id, { hint: look.hint !== undefined, problems })}
              checked={value.includes(option.value)}
              onChange={(isOn) =>
                onChange(isOn ? [...value, option.value] : value.filter((each) => each !== option.value))
              }
            />
            {option.label}
            {option.code !== undefined && <code className="font-mono text-mute text-xs">{option.code}</code>}
          </label>
        ))}
      </div>
      {look.hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-mute text-xs">
          {look.hint}
        </p>
      )}
      <FieldProblems id={id} problems={problems} />
    </fieldset>
  );
}

function FlagControl({ form, at, look, value, onChange }: ControlProps<boolean>) {
  const id = useId();
  const problems = form.findProblems(at);
  return (
    <div className="min-w-0">
      <label title={look.dataKey ?? at} className="-ml-1 flex items-center gap-1.5 font-medium">
        <Checkbox
          data-field={at}
          aria-describedby={describedBy(id, { hint: look.hint !== undefined, problems })}
          checked={value}
          onChange={onChange}
        />
        {look.label}
      </label>
      {look.hint !== undefined && (
        <p id={`${id}-hint`} className="pl-6.5 text-mute text-xs">
          {look.hint}
        </p>
      )}
      <FieldProblems id={id} problems={problems} />
    </div>
  );
}
