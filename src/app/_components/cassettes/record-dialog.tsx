"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import type { CassetteChoice } from "@/lib/contract/cassette";
import { LEFT_OUT_REASONS } from "@/lib/contract/cassette-words";
import { formatPlural } from "@/lib/format";

export interface RecordDialogProps {
  choice: CassetteChoice;
  /** A phrase for the chosen calls, such as `the selected calls`. */
  of: string;
  onClose: () => void;
}

/** Freezes recorded calls as a cassette, after a count of what it would hold. */
export function RecordDialog({ choice, of, onClose }: RecordDialogProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState("");
  const [notes, setNotes] = useState("");
  const [allTools, setAllTools] = useState(false);
  const [isChecked, setIsChecked] = useState(false);
  const tools = allTools ? ("servers" as const) : ("called" as const);
  const { data: preview, error: previewError } = useQuery(trpc.cassettes.preview.queryOptions({ choice, tools }));
  const recording = useAction(trpc.cassettes.create.mutationOptions(), {
    stale: [trpc.cassettes.list.queryKey()],
    done: (made) => `Recorded ${made.name}`,
    onDone: (made) => router.push(`/cassettes/${encodeURIComponent(made.name)}`),
  });
  const isValid = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name.trim());
  const save = (): void => {
    setIsChecked(true);
    if (isValid) recording.mutate({ name: name.trim(), notes, choice, tools });
  };
  return (
    <FormDialog
      needs="edit"
      title="Record cassette"
      description={`Freezes ${of} with their tools, so that agents can be tested without the servers.`}
      submitLabel="Record"
      pendingLabel="Recording…"
      pending={recording.isPending}
      disabled={preview === undefined || preview.callCount === 0}
      failure={recording.problem === null ? "Couldn't count the calls" : "Couldn't record the cassette"}
      problem={recording.problem ?? previewError?.message}
      onSubmit={save}
      onClose={onClose}
    >
      <p role="status" className="text-mute text-xs">
        {preview === undefined
          ? "Counting calls…"
          : `${formatPlural(preview.callCount, "call")} of ${formatPlural(preview.toolCount, "tool")}${preview.servers.length === 0 ? "" : ` from ${preview.servers.join(", ")}`}.`}
        {preview?.leftOut.map(({ reason, count }) => (
          <span key={reason} className="block text-warn">
            {formatPlural(count, "call")} left out: {LEFT_OUT_REASONS[reason]}
          </span>
        ))}
      </p>
      <DraftField
        label="Name"
        field="name"
        required
        mono
        value={name}
        maxLength={64}
        problems={
          isChecked && !isValid ? ["Use 1 to 64 letters, digits, _ or -, beginning with a letter or digit"] : []
        }
        hint={
          <>
            Served at <code className="font-mono [overflow-wrap:anywhere]">/mcp/cassettes/{name.trim() || "…"}</code>
          </>
        }
        onChange={setName}
      />
      <DraftField label="Notes (optional)" field="notes" rows={2} value={notes} onChange={setNotes} />
      <label className="flex items-center gap-1.5">
        <Checkbox checked={allTools} onChange={setAllTools} />
        List all tools of these servers, also those that were not called
      </label>
    </FormDialog>
  );
}
