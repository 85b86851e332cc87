"use client";

import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Brand } from "./brand";
import { RailLinks } from "./rail-links";

/** Stands beside the page from 768 px on; below, the top bar opens it as a sheet. */
export function Rail() {
  const { preferences, change } = usePreferences();
  const closed = preferences.rail === "closed";
  const Icon = closed ? PanelLeftOpen : PanelLeftClose;
  return (
    <nav
      aria-label="Main"
      className={cx(
        "hidden h-full shrink-0 flex-col gap-3 overflow-y-auto border-line border-r bg-rail px-2 py-2 md:flex",
        closed ? "w-13" : "w-52",
      )}
    >
      <Brand closed={closed} />
      <RailLinks closed={closed} />
      <IconButton
        label={closed ? "Expand sidebar" : "Collapse sidebar"}
        aria-expanded={!closed}
        onClick={() => change({ rail: closed ? "open" : "closed" })}
        className={closed ? "mx-auto" : "ml-0.5"}
      >
        <Icon aria-hidden size={15} strokeWidth={1.6} />
      </IconButton>
    </nav>
  );
}
