"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Input, Textarea } from "@/app/_ui/field";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { type Deprecation, MAX_DEPRECATION_NOTE_CHARS } from "@/lib/contract/tool-facts";

interface DeprecateDialogProps {
  tool: Pick<ToolSummary, "name" | "deprecation">;
  onClose: () => void;
}

/** Marks a tool as deprecated, changes what that says, or takes it back. */
export function DeprecateDialog({ tool: { name, deprecation }, onClose }: DeprecateDialogProps) {
  const trpc = useTRPC();
  const id = useId();
  const { data: tools } = useQuery(trpc.tools.list.queryOptions());
  const [successor, setSuccessor] = useState(deprecation?.successor ?? "");
  const [note, setNote] = useState(deprecation?.note ?? "");
  const save = useAction(trpc.tools.setDeprecation.mutationOptions(), {
    stale: [trpc.tools.pathKey()],
    done: ({ deprecation }) => (deprecation === null ? `${name} is no longer deprecated` : `${name} is deprecated`),
    onDone: onClose,
  });
  const set = (next: Deprecation | null): void => save.mutate({ name, deprecation: next });
  return (
    <FormDialog
      title={`Deprecate ${name}`}
      description="Calls still work. Models and MCP clients read it at the beginning of the description."
      needs="edit"
      submitLabel={deprecation === null ? "Deprecate" : "Save"}
      pendingLabel="Saving…"
      pending={save.isPending}
      failure="Couldn't save the deprecation"
      problem={save.problem}
      actions={
        deprecation !== null && (
          <Button needs="edit" size="md" disabled={save.isPending} onClick={() => set(null)} className="mr-auto">
            No longer deprecated
          </Button>
        )
      }
      onSubmit={() => set({ successor: successor.trim() || null, note: note.trim() || null })}
      onClose={onClose}
    >
      <label htmlFor={`${id}-successor`} className="flex flex-col gap-1 font-medium">
        Use instead (optional)
        <Input
          id={`${id}-successor`}
          list={`${id}-tools`}
          value={successor}
          placeholder="Name of a tool"
          autoComplete="off"
          className="font-mono"
          onChange={({ target }) => setSuccessor(target.value)}
        />
      </label>
      <datalist id={`${id}-tools`}>
        {tools?.items.flatMap((each) =>
          each.name === name || each.deprecation !== null ? [] : [<option key={each.name} value={each.name} />],
        )}
      </datalist>
      <label htmlFor={`${id}-note`} className="flex flex-col gap-1 font-medium">
        Note for people (optional)
        <Textarea
          id={`${id}-note`}
          rows={3}
          maxLength={MAX_DEPRECATION_NOTE_CHARS}
          value={note}
          placeholder="Why, and until when it works"
          onChange={({ target }) => setNote(target.value)}
        />
      </label>
    </FormDialog>
  );
}
