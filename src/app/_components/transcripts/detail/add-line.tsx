"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import type { TranscriptSegmentInput } from "@/lib/contract/transcript";

export interface AddLineProps {
  /** Resolves false where the line was not taken; then it stays in the box. */
  onAdd: (segment: TranscriptSegmentInput) => Promise<boolean>;
  example: string;
}

/** By hand, to try it or to put in a word. */
export function AddLine({ onAdd, example }: AddLineProps) {
  const [text, setText] = useState("");
  const [speaker, setSpeaker] = useState("");
  const [adding, setAdding] = useState(false);

  async function add(): Promise<void> {
    setAdding(true);
    const added = await onAdd({ text: text.trim(), ...(speaker.trim() === "" ? {} : { speaker: speaker.trim() }) });
    setAdding(false);
    if (added) setText("");
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "" && !adding) void add();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2 border-line border-t px-4 py-3">
      <Input
        aria-label="Speaker"
        placeholder="Speaker"
        value={speaker}
        maxLength={100}
        autoComplete="off"
        className="w-28!"
        onChange={(event) => setSpeaker(event.target.value)}
      />
      <Input
        aria-label="Line"
        placeholder={example}
        value={text}
        maxLength={100_000}
        autoComplete="off"
        className="w-40! flex-1"
        onChange={(event) => setText(event.target.value)}
      />
      <Button needs="run" type="submit" size="md" disabled={text.trim() === "" || adding}>
        Add line
      </Button>
    </form>
  );
}
