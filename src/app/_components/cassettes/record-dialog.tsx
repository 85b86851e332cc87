import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { readInput } from "@/app/_kit/form/draft-input";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import { defineForm, flag, text } from "@/app/_kit/form/fields";
import { useDraft } from "@/app/_kit/use-draft";
import { client, trpc } from "@/app/_trpc/client";
import type { CassetteChoice, NewCassette } from "@/lib/contract/cassette";
import { LEFT_OUT_REASONS } from "@/lib/contract/cassette-words";
import { formatPlural } from "@/lib/format";

const RECORD_FORM = defineForm<Pick<NewCassette, "name" | "notes" | "tools">>()({
  name: text("Name", { required: true, mono: true, maxLength: 64 }),
  notes: text("Notes (optional)", { rows: 2 }),
  tools: flag("List all tools of these servers, also those that were not called", { sends: "servers" }),
});

interface RecordDialogProps {
  choice: CassetteChoice;
  /** A phrase for the chosen calls, such as `the selected calls`. */
  of: string;
  onClose: () => void;
}

/** Freezes recorded calls as a cassette, after a preview of its size. */
export function RecordDialog({ choice, of, onClose }: RecordDialogProps) {
  const router = useRouter();
  const held = useDraft(() => readInput(RECORD_FORM));
  const tools = held.draft.tools ? ("servers" as const) : ("called" as const);
  const { data: preview, error } = useQuery(trpc.cassettes.preview.queryOptions({ choice, tools }));
  return (
    <EditDialog
      needs="edit"
      title="Record cassette"
      description={`Freezes ${of} with their tools, so that agents can be tested without the servers.`}
      submitLabel="Record"
      pendingLabel="Recording…"
      disabled={preview === undefined || preview.callCount === 0}
      failure={error === null ? "Couldn't record the cassette" : "Couldn't count the calls"}
      problem={error?.message}
      table={RECORD_FORM}
      held={held}
      save={(input) => client.cassettes.create.mutate({ ...input, choice })}
      stale={[trpc.cassettes.list]}
      done={({ name }) => `Recorded ${name}`}
      onSaved={({ name }) => router.push(`/cassettes/${encodeURIComponent(name)}`)}
      onClose={onClose}
    >
      {(form) => (
        <>
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
          <Field
            form={form}
            at="name"
            hint={
              <>
                Served at{" "}
                <code className="font-mono [overflow-wrap:anywhere]">
                  /mcp/cassettes/{form.draft.name.trim() || "…"}
                </code>
              </>
            }
          />
          <Field form={form} at="notes" />
          <Field form={form} at="tools" />
        </>
      )}
    </EditDialog>
  );
}
