"use client";

import { type ClipboardEvent, useState } from "react";
import { Input, Textarea } from "@/app/_ui/field";
import { RevealButton } from "@/app/_ui/reveal-button";
import { hasMask } from "@/lib/masked-value";
import { emptyHint, emptyLook, type ScalarFieldProps } from "./field-control";

/** A text that is stored masked. The mask of an earlier call is not shown as its value: the value has to be entered again. */
export function SecretField({ control, value, onSet }: ScalarFieldProps) {
  const [revealed, setRevealed] = useState(false);
  const isMasked = typeof value === "string" && hasMask(value);
  const text = typeof value === "string" && !isMasked ? value : "";
  const shared = {
    ...control,
    value: text,
    placeholder: isMasked ? "Masked: enter it again" : emptyHint(value),
    spellCheck: false,
    autoComplete: "off",
    "data-1p-ignore": "",
    className: `pr-9 ${emptyLook(value) ?? ""}`,
  };
  // A one-line input would drop the line breaks of a key.
  const pasteLines = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text/plain");
    if (!pasted.trim().includes("\n")) return;
    event.preventDefault();
    event.stopPropagation();
    onSet(pasted);
  };
  const name = control["aria-label"];
  return (
    <div className="relative">
      {text.includes("\n") ? (
        <Textarea
          {...shared}
          rows={4}
          className={`${shared.className} ${revealed ? "" : "[-webkit-text-security:disc]"}`}
          onChange={({ target }) => onSet(target.value)}
        />
      ) : (
        <Input
          {...shared}
          type={revealed ? "text" : "password"}
          onPaste={pasteLines}
          onChange={({ target }) => onSet(target.value)}
        />
      )}
      <span className="absolute top-0.5 right-0.5">
        <RevealButton of={name} revealed={revealed} disabled={text === ""} onReveal={setRevealed} />
      </span>
    </div>
  );
}
