import { MenuButton, MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import type { ToolRowMenuProps } from "./tool-menu";

const load = () => import("./tool-menu");
const ToolMenu = lazyPart(load, "ToolMenu");

export function ToolRowMenu({ className, ...props }: ToolRowMenuProps & { className?: string }) {
  const trigger = <MenuButton label={`Actions for ${props.tool.name}`} className={className} />;
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <ToolMenu {...props} trigger={trigger} />
    </MenuOnDemand>
  );
}
