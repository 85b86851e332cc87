import { type ClipboardEventHandler, type ReactNode, type Ref, useRef } from "react";
import { useDenial } from "@/app/_ui/access";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button, ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { FORM_BODY } from "@/app/_ui/page-body";
import type { Permission } from "@/lib/contract/access";
import { ShortcutKeys } from "./shortcut-keys";
import { useFirstField } from "./use-first-field";
import { useSubmitKey } from "./use-submit-key";

export interface EditorFormProps {
  label: string;
  onSubmit: () => void;
  pending: boolean;
  submitLabel: string;
  /** The permission to save; without it the form is read-only. */
  needs: Permission;
  cancelPath: string;
  /** Why the last attempt was refused. */
  refusal: string | null;
  /** The verdict on the draft, beside the fields. */
  check: ReactNode;
  /** The layout of fields and verdict, where the usual one has too little room. */
  body?: string;
  /** Content above the buttons. */
  notice?: ReactNode;
  children: ReactNode;
  ref?: Ref<HTMLFormElement>;
  onPasteCapture?: ClipboardEventHandler<HTMLElement>;
}

/** The page of an editor: fields, check and buttons; the Run shortcut saves. */
export function EditorForm(props: EditorFormProps) {
  const { label, onSubmit, pending, submitLabel, needs, cancelPath, refusal, check, body = FORM_BODY } = props;
  const denied = useDenial(needs) !== null;
  const fields = useRef<HTMLDivElement>(null);
  const submit = (): void => {
    if (!denied) onSubmit();
  };
  useSubmitKey(submit);
  useFirstField(fields);
  return (
    <form
      ref={props.ref}
      aria-label={label}
      data-submit-key=""
      noValidate
      onPasteCapture={props.onPasteCapture}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="flex flex-col sm:min-h-0 sm:flex-1"
    >
      <div className={cx("relative sm:min-h-0 sm:flex-1 sm:overflow-y-auto", body)}>
        <div ref={fields} className="flex min-w-0 flex-col gap-4">
          <AccessNotice needs={needs} />
          {props.children}
        </div>
        <div className="flex flex-col gap-3 xl:sticky xl:top-0 xl:self-start">
          {refusal !== null && (
            <Alert live tone="bad" title="Not saved">
              <p>{refusal}</p>
            </Alert>
          )}
          {check}
        </div>
      </div>
      {props.notice}
      <footer className="bottom-0 flex shrink-0 items-center max-sm:sticky justify-end gap-2 border-line border-t bg-panel px-4 py-2.5">
        <ButtonLink href={cancelPath}>Cancel</ButtonLink>
        <Button type="submit" variant="primary" disabled={pending} needs={needs}>
          {pending ? "Saving…" : submitLabel}
          <ShortcutKeys with="↵" plain />
        </Button>
      </footer>
    </form>
  );
}
