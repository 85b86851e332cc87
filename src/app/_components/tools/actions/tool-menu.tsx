"use client";

import { CircleSlash, Copy, Pencil, Play, Power, Server, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactElement, useState } from "react";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { DeprecateDialog } from "./deprecate-dialog";

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
