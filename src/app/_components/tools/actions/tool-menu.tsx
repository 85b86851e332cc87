"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleSlash, Copy, Pencil, Play, Power, Server, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactElement, useId, useState } from "react";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Input, Textarea } from "@/app/_ui/field";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { type Deprecation, MAX_DEPRECATION_NOTE_CHARS } from "@/lib/contract/tool-facts";

export interface ToolActions {
  setEnabled: (tool: ToolSummary, enabled: boolean) => void;
  remove: (tool: ToolSummary) => void;
}

export interface ToolRowMenuProps {
  tool: ToolSummary;
  actions: ToolActions;
}

interface ToolMenuProps extends ToolRowMenuProps {
  trigger: ReactElement;
}

/** Only what was made in the console can be edited and deleted here; the rest lives in a file, in code or on a server. */
export function ToolMenu({ tool, actions, trigger }: ToolMenuProps) {
  const router = useRouter();
  const name = encodeURIComponent(tool.name);
  const editable = tool.origin === "console";
  const [isDeprecating, setIsDeprecating] = useState(false);
  const open = (path: string) => () => router.push(path);
  const duplicate = { needs: "edit", icon: Copy, onSelect: open(`/tools/new?from=${name}`) } as const;
  const remove = () => actions.remove(tool);
  const own: MenuItem[] = [
    { label: "Edit", needs: "edit", icon: Pencil, disabled: !editable, onSelect: open(`/tools/new?edit=${name}`) },
    { label: "Duplicate", ...duplicate },
  ];
  const served: MenuItem[] = [
    { label: "Open its server", icon: Server, onSelect: open(`/servers/${encodeURIComponent(tool.server ?? "")}`) },
    { label: "Create a mock", ...duplicate },
  ];
  const items: MenuItem[] = [
    { label: "Run", icon: Play, onSelect: open(`/tools/${name}`) },
    ...(tool.server === null ? own : served),
    {
      label: tool.enabled ? "Disable" : "Enable",
      needs: "edit",
      icon: Power,
      onSelect: () => actions.setEnabled(tool, !tool.enabled),
    },
    {
      label: tool.deprecation === null ? "Deprecate…" : "Edit deprecation…",
      needs: "edit",
      icon: CircleSlash,
      onSelect: () => setIsDeprecating(true),
    },
  ];
  if (tool.server === null)
    items.push({ label: "Delete", needs: "edit", icon: Trash2, danger: true, disabled: !editable, onSelect: remove });
  return (
    <>
      {isDeprecating && <DeprecateDialog tool={tool} onClose={() => setIsDeprecating(false)} />}
      <MenuView trigger={trigger} items={items} />
    </>
  );
}

interface DeprecateDialogProps {
  tool: Pick<ToolSummary, "name" | "deprecation">;
  onClose: () => void;
}

/** Marks a tool as deprecated, changes what that says, or takes it back. */
function DeprecateDialog({ tool: { name, deprecation }, onClose }: DeprecateDialogProps) {
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
      action={save}
      failure="Couldn't save the deprecation"
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
