import { MenuButton, MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import type { ServerRowMenuProps } from "./server-menu";

const load = () => import("./server-menu");
const ServerMenu = lazyPart(load, "ServerMenu");

export function ServerRowMenu({ className, ...props }: ServerRowMenuProps & { className?: string }) {
  const trigger = <MenuButton label={`Actions for ${props.server.name}`} className={className} />;
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <ServerMenu {...props} trigger={trigger} />
    </MenuOnDemand>
  );
}
