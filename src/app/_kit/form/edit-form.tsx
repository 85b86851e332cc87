import { type ReactNode, useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { Fields } from "./field";
import type { DraftOf } from "./fields";
import { type EditFormOptions, type Specs, useEditForm } from "./use-edit-form";
import type { FormState } from "./use-form";

interface EditFormProps<Input, Fields extends Specs, Saved>
  extends EditFormOptions<Input, Fields, Saved>,
    Pick<ButtonProps, "needs" | "variant" | "size"> {
  label: string;
  submitLabel: string;
  /** The title of a problem that belongs to no field. */
  failure: string;
  onSaved?: () => void;
  /** The fields, where a list is not enough. */
  children?: (form: FormState<DraftOf<Fields>>) => ReactNode;
}

/** A form of a card, over a table of fields. It can be sent once something has changed. */
export function EditForm<Input, Of extends Specs, Saved>({ onSaved, ...props }: EditFormProps<Input, Of, Saved>) {
  const [saves, setSaves] = useState(0);
  const onDone = (): void => {
    setSaves(saves + 1);
    onSaved?.();
  };
  return <OneEdit key={saves} {...props} onSaved={onDone} />;
}

/** The form until it is saved; after that a new one starts from the stored values. */
function OneEdit<Input, Of extends Specs, Saved>(props: EditFormProps<Input, Of, Saved> & { onSaved: () => void }) {
  const form = useEditForm(props, props.onSaved);
  const { label, needs, variant, size, submitLabel, failure, children } = props;
  return (
    <form
      ref={form.element}
      noValidate
      aria-label={label}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      {children?.(form) ?? <Fields form={form} />}
      {form.rest.length > 0 && (
        <Alert live tone="bad" title={failure}>
          <p>{form.rest.join("; ")}</p>
        </Alert>
      )}
      <Button
        needs={needs}
        variant={variant}
        size={size}
        type="submit"
        className="self-start"
        disabled={form.pending || !form.held.dirty}
      >
        {form.pending ? "Saving…" : submitLabel}
      </Button>
    </form>
  );
}
