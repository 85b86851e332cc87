"use client";

import { Menu as MenuIcon, Search } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { InboxButton } from "@/app/_components/interactions/inbox-button";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { IconButton } from "@/app/_ui/button";
import { AccountMenu } from "./account-menu";
import { Breadcrumb } from "./breadcrumb";
import { useFrameCommands } from "./frame-commands";
import { ConnectionIndicator } from "./live-indicator";
import { ThemeSwitch } from "./theme-switch";

const RailSheet = dynamic(() => import("./rail-sheet").then((module) => module.RailSheet), { ssr: false });

export function TopBar() {
  const [sheet, setSheet] = useState(false);
  const { openPalette } = useFrameCommands();
  return (
    <header className="flex h-11 shrink-0 items-center gap-2.5 border-line border-b bg-panel px-4 max-md:px-3">
      <IconButton
        label="Open menu"
        aria-haspopup="dialog"
        aria-expanded={sheet}
        onClick={() => setSheet(true)}
        className="-ml-1 md:hidden"
      >
        <MenuIcon aria-hidden size={15} strokeWidth={1.6} />
      </IconButton>
      <Breadcrumb />
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={openPalette}
        className="flex h-7 shrink-0 items-center gap-2 rounded-md border border-line2 px-2 text-faint hover:text-mute lg:w-65"
      >
        <Search aria-hidden size={15} strokeWidth={1.6} className="lg:hidden" />
        <span className="max-lg:sr-only">Search or run a command</span>
        <ShortcutKeys with="K" className="ml-auto max-lg:hidden" />
      </button>
      <InboxButton />
      <ConnectionIndicator />
      <ThemeSwitch />
      <AccountMenu />
      {sheet && <RailSheet onClose={() => setSheet(false)} />}
    </header>
  );
}
