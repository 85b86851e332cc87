"use client";

import { useId } from "react";
import type { Secret } from "@/app/_kit/form/secret";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import type { ModelProviderSummary } from "@/lib/contract/model";

export interface KeyFieldProps {
  secret: Secret;
  /** The server's summary of the stored key; null for a new provider. */
  stored: ModelProviderSummary["key"] | null;
  hint: string;
  problems: readonly string[];
  onChange: (secret: Secret) => void;
}

/** Write-only: a stored key is kept, replaced or deleted, and never sent to the browser. */
export function KeyField({ secret, stored, hint, problems, onChange }: KeyFieldProps) {
  const id = useId();
  const known = stored !== null && stored.state !== "none";
  const keep = () => onChange({ ...secret, value: null, removed: false });
  return (
    <FormField id={id} label="API key" dataKey="apiKey" hint={hint} problems={problems}>
      {!known || (secret.value !== null && !secret.removed) ? (
        <div className="flex gap-2" {...(known && leaveOnEscape(keep, id))}>
          <Input
            id={id}
            type="password"
            value={secret.value ?? ""}
            invalid={problems.length > 0}
            autoFocus={known}
            autoComplete="off"
            spellCheck={false}
            data-1p-ignore=""
            placeholder={known ? "Leave empty to keep the stored key" : undefined}
            className="font-mono text-xs!"
            aria-describedby={describedBy(id, { hint: true, problems })}
            onChange={({ target }) => onChange({ ...secret, value: target.value })}
          />
          {known && (
            <Button size="md" onClick={keep}>
              Keep the current key
            </Button>
          )}
        </div>
      ) : (
        <div className="flex min-h-8 flex-wrap items-center gap-2 rounded-md border border-edge border-dashed py-0.5 pr-1 pl-2.5 text-xs">
          <span className="min-w-0 flex-1 text-mute">
            {secret.removed ? "Deleted when you save" : presentKey(stored)}
          </span>
          {secret.removed ? (
            <Button id={id} variant="ghost" onClick={keep}>
              Keep the stored key
            </Button>
          ) : (
            <>
              <Button id={id} variant="ghost" onClick={() => onChange({ ...secret, value: "" })}>
                Replace the key
              </Button>
              {stored.state !== "environment" && (
                <Button variant="ghost" onClick={() => onChange({ ...secret, removed: true })}>
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
