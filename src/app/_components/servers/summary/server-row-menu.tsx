"use client";

import { lazy } from "react";
import { MenuButton, MenuOnDemand } from "@/app/_ui/menu";
import type { ServerRowMenuProps } from "./server-menu";

const load = () => import("./server-menu");
const ServerMenu = lazy(() => load().then((module) => ({ default: module.ServerMenu })));

export function ServerRowMenu({ className, ...props }: ServerRowMenuProps & { className?: string }) {
  const trigger = <MenuButton label={`Actions for ${props.server.name}`} className={className} />;
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <ServerMenu {...props} trigger={trigger} />
    </MenuOnDemand>
  );
}
