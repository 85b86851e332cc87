"use client";

import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Textarea } from "@/app/_ui/field";
import type { JsonObject } from "@/lib/contract/json";
import { readPayload, rootFault } from "./payload-text";

export interface FillDialogProps {
  onClose: () => void;
  onFill: (value: JsonObject) => void;
}

function FillForm({ onFill }: Pick<FillDialogProps, "onFill">) {
  const [text, setText] = useState("");
  const [message, setMessage] = useState<string | null>(null);
  const fill = () => {
    const read = readPayload(text);
    const fault = read.ok ? rootFault(text, read.value) : read.fault;
    if (fault !== null) setMessage(`Line ${fault.line}, column ${fault.column}: ${fault.message}`);
    else if (read.ok) onFill(read.value as JsonObject);
  };
  return (
    <div className="space-y-3">
      <Textarea
        aria-label="JSON object"
        aria-describedby={message === null ? undefined : "fill-dialog-fault"}
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
      {message !== null && (
        <p id="fill-dialog-fault" role="alert" className="text-bad text-xs">
          {message}
        </p>
      )}
      <div className="flex justify-end">
        <Button variant="primary" onClick={fill} disabled={text.trim() === ""}>
          Replace arguments
        </Button>
      </div>
    </div>
  );
}

/** The keyboard's way to what pasting does: every argument is replaced, and can be brought back. */
export function FillDialog({ onClose, onFill }: FillDialogProps) {
  return (
    <Dialog onClose={onClose} title="Paste JSON" description="A JSON object replaces all arguments. You can undo this.">
      <FillForm
        onFill={(value) => {
          onClose();
          onFill(value);
        }}
      />
    </Dialog>
  );
}
