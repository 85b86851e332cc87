import { useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { Textarea } from "@/app/_ui/field";
import type { JsonObject } from "@/lib/contract/json";
import { readPayload, rootFault } from "./payload-text";

/** The keyboard's way to what pasting does: every argument is replaced, and can be brought back. */
export function FillDialog({ onClose, onFill }: { onClose: () => void; onFill: (value: JsonObject) => void }) {
  const [text, setText] = useState("");
  const [message, setMessage] = useState<string | null>(null);
  const fill = () => {
    const read = readPayload(text);
    const fault = read.ok ? rootFault(text, read.value) : read.fault;
    if (fault !== null) return setMessage(`Line ${fault.line}, column ${fault.column}: ${fault.message}`);
    if (!read.ok) return;
    onClose();
    onFill(read.value as JsonObject);
  };
  return (
    <FormDialog
      title="Paste JSON"
      description="A JSON object replaces all arguments. You can undo this."
      submitLabel="Replace arguments"
      disabled={text.trim() === ""}
      failure="Not a JSON object"
      problem={message}
      onSubmit={fill}
      onClose={onClose}
    >
      <Textarea
        aria-label="JSON object"
        invalid={message !== null}
        value={text}
        rows={10}
        spellCheck={false}
        placeholder={'{ "name": "value" }'}
        onChange={(event) => {
          setText(event.target.value);
          setMessage(null);
        }}
        className="font-mono text-xs!"
      />
    </FormDialog>
  );
}
