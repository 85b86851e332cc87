"use client";

import { LogOut, Pencil, Plug, Power, RefreshCw, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import type { ReactElement } from "react";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import type { ServerDetail, ServerSummary } from "@/lib/contract/server";
import { permissionForServer } from "@/lib/contract/server-kind";
import { toServerPath } from "./server-words";
import type { ServerActions } from "./use-server-actions";

const ICON = { size: 15, strokeWidth: 1.6, "aria-hidden": true } as const;

export interface ServerRowMenuProps {
  server: ServerSummary;
  actions: ServerActions;
  /** On the server's own page, where its other actions are buttons. */
  own?: Pick<ServerDetail, "signedIn" | "settings">;
}

interface ServerMenuProps extends ServerRowMenuProps {
  trigger: ReactElement;
}

/** Only what was added in the console can be edited and deleted here; the rest lives in the configuration file. */
export function ServerMenu({ server, actions, own, trigger }: ServerMenuProps) {
  const router = useRouter();
  const path = toServerPath(server.name);
  const editable = server.origin === "console";
  const needs = permissionForServer(own?.settings ?? { transport: server.transport, target: server.target });
  const connect: MenuItem = {
    label: "Connect a client",
    icon: <Plug {...ICON} />,
    onSelect: () => router.push(`/connect?server=${encodeURIComponent(server.name)}`),
  };
  const remove: MenuItem = {
    label: "Delete",
    needs,
    icon: <Trash2 {...ICON} />,
    danger: true,
    disabled: !editable,
    onSelect: () => actions.remove(server),
  };
  const items: MenuItem[] =
    own === undefined
      ? [
          { label: "Open", icon: <SquareArrowOutUpRight {...ICON} />, onSelect: () => router.push(path) },
          {
            label: "Reconnect",
            needs: "edit",
            icon: <RefreshCw {...ICON} />,
            disabled: !server.enabled,
            onSelect: () => actions.reconnect(server),
          },
          {
            label: server.enabled ? "Disable" : "Enable",
            needs,
            icon: <Power {...ICON} />,
            onSelect: () => actions.setEnabled(server, !server.enabled),
          },
          {
            label: "Edit",
            needs,
            icon: <Pencil {...ICON} />,
            disabled: !editable,
            onSelect: () => router.push(`${path}/edit`),
          },
          connect,
          remove,
        ]
      : [
          connect,
          ...(own.signedIn && server.credentials === "shared"
            ? [
                {
                  label: "Sign out",
                  needs: "edit" as const,
                  icon: <LogOut {...ICON} />,
                  onSelect: () => actions.signOut(server),
                },
              ]
            : []),
          remove,
        ];
  return <MenuView trigger={trigger} items={items} />;
}
