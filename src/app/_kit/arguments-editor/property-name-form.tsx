import { useId, useState } from "react";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";

interface NameFormProps {
  label: string;
  submitLabel: string;
  initial?: string;
  taken: ReadonlySet<string>;
  onSubmit: (name: string) => void;
  onCancel: () => void;
}

/** Requests the name of a key. It is not a `form` element, since it may be inside one. */
export function NameForm({ label, submitLabel, initial = "", taken, onSubmit, onCancel }: NameFormProps) {
  const [name, setName] = useState(initial);
  const id = useId();
  const clash = name !== initial && taken.has(name);
  const submit = () => {
    if (name !== "" && !clash) onSubmit(name);
  };
  return (
    <div className="space-y-1" {...leaveOnEscape(onCancel)}>
      <div className="flex items-center gap-1.5">
        <Input
          ref={focusOnce}
          value={name}
          aria-label={label}
          placeholder="name"
          invalid={clash}
          aria-describedby={clash ? id : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.metaKey || event.ctrlKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
          className="font-mono"
        />
        <Button onClick={submit} disabled={name === "" || clash}>
          {submitLabel}
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {clash && (
        <p id={id} className="text-bad text-xs">
          A property with this name already exists. Choose another name.
        </p>
      )}
    </div>
  );
}

/** The form appears on request, so it receives the keyboard focus. */
function focusOnce(input: HTMLInputElement | null): void {
  input?.focus();
}
