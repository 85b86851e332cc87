import { LogOut, Pencil, Plug, Power, RefreshCw, SquareArrowOutUpRight, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import type { ReactElement } from "react";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import type { ServerDetail, ServerSummary } from "@/lib/contract/server";
import { permissionForServer } from "@/lib/contract/server-kind";
import { toServerPath } from "./server-words";
import type { ServerActions } from "./use-server-actions";

export interface ServerRowMenuProps {
  server: ServerSummary;
  actions: ServerActions;
  /** Set on the server's own page, where its other actions are buttons except on a phone. */
  own?: Pick<ServerDetail, "signedIn" | "settings">;
}

interface ServerMenuProps extends ServerRowMenuProps {
  trigger: ReactElement;
}

/**
 * Only servers that were added in the console can be edited and deleted here; the others are defined in the
 * configuration file.
 */
export function ServerMenu({ server, actions, own, trigger }: ServerMenuProps) {
  const router = useRouter();
  const path = toServerPath(server.name);
  const editable = server.origin === "console";
  const needs = permissionForServer(own?.settings ?? { transport: server.transport, target: server.target });
  const open = (to: string) => () => router.push(to);
  const toggle = () => actions.setEnabled(server, !server.enabled);
  const remove = () => actions.remove(server);
  const shown: MenuItem[] = [
    {
      label: "Reconnect",
      needs: "edit",
      icon: RefreshCw,
      disabled: !server.enabled,
      onSelect: () => actions.reconnect(server),
    },
    { label: server.enabled ? "Disable" : "Enable", needs, icon: Power, onSelect: toggle },
    { label: "Edit", needs, icon: Pencil, disabled: !editable, onSelect: open(`${path}/edit`) },
  ];
  const signOut: MenuItem = {
    label: "Sign out",
    needs: "edit",
    icon: LogOut,
    onSelect: () => actions.signOut(server),
  };
  const items: MenuItem[] = [
    ...(own === undefined ? [{ label: "Open", icon: SquareArrowOutUpRight, onSelect: open(path) }, ...shown] : []),
    ...(own === undefined ? [] : shown.map((item) => ({ ...item, onPhone: true as const }))),
    {
      label: "Connect a client",
      icon: Plug,
      onSelect: open(`/clients?server=${encodeURIComponent(server.name)}#connect`),
    },
    ...(own?.signedIn && server.credentials === "shared" ? [signOut] : []),
    { label: "Delete", needs, icon: Trash2, danger: true, disabled: !editable, onSelect: remove },
  ];
  return <MenuView trigger={trigger} items={items} />;
}
