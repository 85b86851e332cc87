"use client";

import { lazy } from "react";
import { MenuButton, MenuOnDemand } from "@/app/_ui/menu";
import type { ToolRowMenuProps } from "./tool-menu";

const load = () => import("./tool-menu");
const ToolMenu = lazy(() => load().then((module) => ({ default: module.ToolMenu })));

export function ToolRowMenu({ className, ...props }: ToolRowMenuProps & { className?: string }) {
  const trigger = <MenuButton label={`Actions for ${props.tool.name}`} className={className} />;
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <ToolMenu {...props} trigger={trigger} />
    </MenuOnDemand>
  );
}
