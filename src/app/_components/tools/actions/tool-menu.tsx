import { CircleSlash, Copy, Pencil, Play, Power, Server, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactElement, useState } from "react";
import { useSuggestedTools } from "@/app/_components/tools/summary/use-suggested-tools";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import { type DraftOf, defineForm, text } from "@/app/_kit/form/fields";
import type { FormState } from "@/app/_kit/form/use-form";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
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

/**
 * Only tools that were created in the console can be edited and deleted here; the others are defined in a file, in code
 * or on a server.
 */
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

const DEPRECATION_FORM = defineForm<Deprecation>()({
  successor: text("Use instead (optional)", {
    mono: true,
    placeholder: "Name of a tool",
    write: (typed) => typed.trim() || null,
  }),
  note: text("Note for people (optional)", {
    rows: 3,
    maxLength: MAX_DEPRECATION_NOTE_CHARS,
    placeholder: "Why, and until when it works",
    write: (typed) => typed.trim() || null,
  }),
});

type DeprecationForm = FormState<DraftOf<(typeof DEPRECATION_FORM)["fields"]>>;

function SuccessorField({ form, name }: { form: DeprecationForm; name: string }) {
  const found = useSuggestedTools(form.draft.successor);
  const proposals = found.filter((tool) => tool.name !== name && tool.deprecation === null);
  return <Field form={form} at="successor" proposals={proposals.map((tool) => tool.name)} />;
}

/** Marks a tool as deprecated, changes what that says, or takes it back. */
function DeprecateDialog({ tool: { name, deprecation }, onClose }: DeprecateDialogProps) {
  const stale = [trpc.tools];
  const clearing = useAction(trpc.tools.setDeprecation, {
    stale,
    done: `${name} is no longer deprecated`,
    onDone: onClose,
  });
  return (
    <EditDialog
      title={`Deprecate ${name}`}
      description="Calls still work. Models and MCP clients read it at the beginning of the description."
      needs="edit"
      submitLabel={deprecation === null ? "Deprecate" : "Save"}
      failure="Couldn't save the deprecation"
      problem={clearing.problem}
      actions={
        deprecation !== null && (
          <Button
            needs="edit"
            size="md"
            disabled={clearing.isPending}
            onClick={() => clearing.mutate({ name, deprecation: null })}
            className="mr-auto"
          >
            No longer deprecated
          </Button>
        )
      }
      table={DEPRECATION_FORM}
      initial={deprecation ?? {}}
      root="deprecation"
      save={(input) => client.tools.setDeprecation.mutate({ name, deprecation: input })}
      stale={stale}
      done={`${name} is deprecated`}
      onClose={onClose}
    >
      {(form) => (
        <>
          <SuccessorField form={form} name={name} />
          <Field form={form} at="note" />
        </>
      )}
    </EditDialog>
  );
}
