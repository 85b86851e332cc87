"use client";

import type { RefObject } from "react";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { Input } from "@/app/_ui/field";
import { LEAST_SEARCH_CHARS } from "./execution-filter-params";

export interface SearchBoxProps {
  value: string;
  onChange: (value: string) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Free text; asks once typing pauses. */
export function SearchBox({ value, onChange, inputRef }: SearchBoxProps) {
  const { shown, type, commit } = usePausedDraft(value, onChange);
  const tooShort = shown.trim() !== "" && shown.trim().length < LEAST_SEARCH_CHARS;

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
        onChange={(event) => type(event.target.value)}
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
