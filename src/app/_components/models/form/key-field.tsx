"use client";

import { useId } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";
import type { ProviderDraft } from "./provider-draft";

export interface KeyFieldProps {
  draft: ProviderDraft;
  /** What the server says of the present key; null for a new provider. */
  stored: ModelProviderSummary["key"] | null;
  hint: string;
  problems: readonly string[];
  change: (part: Partial<ProviderDraft>) => void;
}

/** Write-only: a stored key is kept, replaced or deleted, and never sent to the browser. */
export function KeyField({ draft, stored, hint, problems, change }: KeyFieldProps) {
  const id = useId();
  const known = stored !== null && stored.state !== "none";
  return (
    <FormField id={id} label="API key" dataKey="apiKey" hint={hint} problems={problems}>
      {draft.keyMode === "replace" || !known ? (
        <div className="flex gap-2">
          <Input
            id={id}
            type="password"
            value={draft.apiKey}
            invalid={problems.length > 0}
            autoFocus={known}
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore=""
            placeholder={known ? "Leave empty to keep the stored key" : undefined}
            className="font-mono text-xs!"
            aria-describedby={describedBy(id, { hint: true, problems })}
            onChange={({ target }) => change({ apiKey: target.value })}
          />
          {known && (
            <Button size="md" onClick={() => change({ keyMode: "keep", apiKey: "" })}>
              Keep the current key
            </Button>
          )}
        </div>
      ) : (
        <div className="flex min-h-8 flex-wrap items-center gap-2 rounded-md border border-edge border-dashed py-0.5 pr-1 pl-2.5 text-xs">
          <span className="min-w-0 flex-1 text-mute">
            {draft.keyMode === "forget" ? "Deleted when you save" : presentKey(stored)}
          </span>
          {draft.keyMode === "forget" ? (
            <Button id={id} variant="ghost" onClick={() => change({ keyMode: "keep" })}>
              Keep the stored key
            </Button>
          ) : (
            <>
              <Button id={id} variant="ghost" onClick={() => change({ keyMode: "replace" })}>
                Replace the key
              </Button>
              {stored.state !== "environment" && (
                <Button variant="ghost" onClick={() => change({ keyMode: "forget" })}>
                  Delete the key
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </FormField>
  );
}

function presentKey({ state, variable }: ModelProviderSummary["key"]): string {
  if (state === "environment") return variable === null ? "from the environment" : `from ${variable}`;
  return state === "unreadable" ? "Stored, but unreadable: replace it" : "•••••• stored";
}
