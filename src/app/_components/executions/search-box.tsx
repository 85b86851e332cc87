"use client";

import { type RefObject, useRef, useState } from "react";
import { Input } from "@/app/_ui/field";
import { LEAST_SEARCH_CHARS } from "./filter-params";

const PAUSE_MS = 250;

export interface SearchBoxProps {
  value: string;
  onChange: (value: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Free text; asks once typing pauses. */
export function SearchBox({ value, onChange, inputRef }: SearchBoxProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = draft ?? value;
  const tooShort = shown.trim() !== "" && shown.trim().length < LEAST_SEARCH_CHARS;

  function commit(text: string): void {
    clearTimeout(timer.current);
    setDraft(null);
    onChange(text);
  }

  return (
    <div className="flex min-w-44 flex-1 flex-col sm:max-w-80">
      <Input
        ref={inputRef}
        type="search"
        aria-label="Search arguments, results and errors"
        aria-describedby="execution-search-hint"
        placeholder="Search arguments, results, ids"
        value={shown}
        maxLength={200}
        onChange={(event) => {
          const text = event.target.value;
          setDraft(text);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => commit(text), PAUSE_MS);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit(shown);
        }}
      />
      <p id="execution-search-hint" className="text-mute text-xs empty:hidden">
        {tooShort && `Searches from ${LEAST_SEARCH_CHARS} characters on`}
      </p>
    </div>
  );
}
