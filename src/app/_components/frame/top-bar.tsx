import { useQuery } from "@tanstack/react-query";
import { Menu as MenuIcon, Search } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { useState } from "react";
import { NoticesButton } from "@/app/_components/alerts/notices-button";
import { InboxButton } from "@/app/_components/interactions/inbox-button";
import { buildBreadcrumbTrail } from "@/app/_kit/navigation";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { useLiveState } from "@/app/_live/live-provider";
import type { LiveState } from "@/app/_live/live-source";
import { trpc } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { useFrameCommands } from "./frame-commands";
import { ThemeSwitch } from "./theme-switch";

const RailSheet = onDemand(() => import("./rail-sheet"), "RailSheet");

export function TopBar() {
  const [sheet, setSheet] = useState(false);
  const { openPalette } = useFrameCommands();
  return (
    <header className="flex h-11 shrink-0 items-center gap-2.5 border-line border-b bg-panel px-4 max-sm:gap-1 max-md:px-3">
      <IconButton
        icon={MenuIcon}
        label="Open menu"
        aria-haspopup="dialog"
        aria-expanded={sheet}
        onClick={() => setSheet(true)}
        className="-ml-1 md:hidden"
      />
      <Breadcrumb />
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={openPalette}
        className="flex h-7 shrink-0 items-center justify-center gap-2 rounded-md border border-line2 px-2 text-faint hover:text-mute max-sm:size-10 max-sm:border-transparent max-sm:text-mute lg:w-65"
      >
        <Search size={15} className="lg:hidden" />
        <span className="max-lg:sr-only">Search or run a command</span>
        <ShortcutKeys with="K" className="ml-auto max-lg:hidden" />
      </button>
      <InboxButton />
      <NoticesButton />
      <ConnectionIndicator />
      <ThemeSwitch />
      <AccountMenu />
      {sheet && <RailSheet onClose={() => setSheet(false)} />}
    </header>
  );
}

// Loaded only where there are accounts.
const SignedInMenu = onDemand(() => import("./signed-in-menu"), "SignedInMenu", { onServer: true });

/** The menu of the signed-in user; only a name while accounts are off. */
export function AccountMenu() {
  const { name } = usePrincipal();
  const info = useQuery(trpc.system.info.queryOptions());
  if (info.data?.accountMode.accounts === true) return <SignedInMenu />;
  return (
    <span title="Your calls are recorded under this name" className="shrink-0 text-mute text-xs max-xl:sr-only">
      {name}
    </span>
  );
}

/** Links to the pages above; the page's own title is its heading. */
function Breadcrumb() {
  const trail = buildBreadcrumbTrail(usePathname(), useSearchParams().get("edit"));
  if (trail.length === 0) return <span className="flex-1" />;
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
      <ol className="flex min-w-0 items-center gap-1.5 text-mute">
        {trail.map(({ href, label, mono }, at) => (
          <li key={href} className="flex min-w-0 items-center gap-1.5">
            {at > 0 && <span aria-hidden>/</span>}
            <Link
              href={href}
              className={cx(
                "truncate rounded-xs text-center hover:text-text max-sm:min-w-10 max-sm:py-2.5",
                mono && "font-mono text-xs",
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const LOOK: Record<LiveState, { label: string; dot: string; hint: string }> = {
  connecting: { label: "connecting", dot: "bg-warn animate-pulse", hint: "Connecting for live updates" },
  live: { label: "live", dot: "bg-ok", hint: "Live updates are on" },
  polling: {
    label: "refreshing every 15 s",
    dot: "bg-warn",
    hint: "Too many open tabs: this page refreshes every 15 s. Close other tabs for live updates",
  },
  lost: { label: "connecting", dot: "bg-warn animate-pulse", hint: "Connecting for live updates again" },
  away: { label: "offline", dot: "bg-bad", hint: "The server does not answer" },
  offline: { label: "offline", dot: "bg-bad", hint: "No live updates. This page may be out of date" },
};

/** Shows the state of the page's stream of live events. */
export function ConnectionIndicator() {
  const state = useLiveState();
  const look = LOOK[state];
  return (
    <span
      role="status"
      title={look.hint}
      className="flex shrink-0 items-center gap-1.5 text-mute text-xs"
      data-live={state}
    >
      <span aria-hidden className={cx("size-1.75 rounded-full", look.dot)} />
      <span className="max-sm:sr-only">{look.label}</span>
    </span>
  );
}
