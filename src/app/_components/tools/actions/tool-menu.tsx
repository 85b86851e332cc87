"use client";

import { CircleSlash, Copy, Pencil, Play, Power, Server, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactElement, useState } from "react";
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

const ICON = { size: 15, strokeWidth: 1.6, "aria-hidden": true } as const;

/** Only what was made in the console can be edited and deleted here; the rest lives in a file, in code or on a server. */
export function ToolMenu({ tool, actions, trigger }: ToolMenuProps) {
  const router = useRouter();
  const name = encodeURIComponent(tool.name);
  const editable = tool.origin === "console";
  const [isDeprecating, setIsDeprecating] = useState(false);
  return (
    <>
      {isDeprecating && <DeprecateDialog tool={tool} onClose={() => setIsDeprecating(false)} />}
      <MenuView
        trigger={trigger}
        items={[
          { label: "Run", icon: <Play {...ICON} />, onSelect: () => router.push(`/tools/${name}`) },
          ...(tool.server === null
            ? [
                {
                  label: "Edit",
                  needs: "edit" as const,
                  icon: <Pencil {...ICON} />,
                  disabled: !editable,
                  onSelect: () => router.push(`/tools/new?edit=${name}`),
                },
                {
                  label: "Duplicate",
                  needs: "edit" as const,
                  icon: <Copy {...ICON} />,
                  onSelect: () => router.push(`/tools/new?from=${name}`),
                },
              ]
            : [
                {
                  label: "Open its server",
                  icon: <Server {...ICON} />,
                  onSelect: () => router.push(`/servers/${encodeURIComponent(tool.server ?? "")}`),
                },
                {
                  label: "Create a mock",
                  needs: "edit" as const,
                  icon: <Copy {...ICON} />,
                  onSelect: () => router.push(`/tools/new?from=${name}`),
                },
              ]),
          {
            label: tool.enabled ? "Disable" : "Enable",
            needs: "edit" as const,
            icon: <Power {...ICON} />,
            onSelect: () => actions.setEnabled(tool, !tool.enabled),
          },
          {
            label: tool.deprecation === null ? "Deprecate…" : "Edit deprecation…",
            needs: "edit" as const,
            icon: <CircleSlash {...ICON} />,
            onSelect: () => setIsDeprecating(true),
          },
          ...(tool.server === null
            ? [
                {
                  label: "Delete",
                  needs: "edit" as const,
                  icon: <Trash2 {...ICON} />,
                  danger: true,
                  disabled: !editable,
                  onSelect: () => actions.remove(tool),
                },
              ]
            : []),
        ]}
      />
    </>
  );
}
