"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { useNotificationSetting } from "@/app/_components/approvals/summary/notification-setting";
import type { Preferences } from "@/app/_kit/preferences";
import { PreferencesProvider, usePreferences } from "@/app/_kit/preferences-provider";
import { useNow } from "@/app/_kit/use-now";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import { openSignIn } from "@/app/_trpc/query-client";
import { AccessProvider, useHasAccounts, usePrincipal } from "@/app/_ui/access";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { reconnectNow, type ServerReach, useServerReach } from "@/app/_ui/server-reach";
import { useToast } from "@/app/_ui/toast";
import type { Principal } from "@/lib/contract/access";
import { ExposureAlert } from "./exposure-alert";
import { FrameCommandsProvider } from "./frame-commands";
import { RailLinks } from "./rail-links";
import { TopBar } from "./top-bar";

const Alert = onDemand(() => import("@/app/_ui/alert"), "Alert", { onServer: true });
const PausedBanner = onDemand(() => import("./paused-banner"), "PausedBanner", {
  onServer: true,
});
// Notifications are off until a user turns them on.
const ApprovalNotifier = onDemand(
  () => import("@/app/_components/approvals/summary/approval-notifier"),
  "ApprovalNotifier",
);

interface FrameProps {
  preferences: Preferences;
  mac: boolean;
  /** The user as whom calls are recorded, with their rights. */
  actor: Principal;
  /** Why others may do everything here; null where they cannot. */
  exposure: string | null;
  children: ReactNode;
}

/**
 * Rail, top bar, and the page in the rest: `main` has a definite height and scrolls, so that a page may pin its head
 * and scroll its columns with `h-full` and `min-h-0`.
 */
export function Frame({ preferences, mac, actor, exposure, children }: FrameProps) {
  const pathname = usePathname();
  const main = useRef<HTMLElement>(null);
  const toast = useToast();
  const notifies = useNotificationSetting() === "on";
  const reportDenial = useCallback((denial: string) => toast({ title: denial, tone: "warn" }), [toast]);
  // Outside system: the scroll position, which outlives the page since `main` scrolls and not the window.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page opens at its top
  useEffect(() => {
    main.current?.scrollTo(0, 0);
  }, [pathname]);
  return (
    <AccessProvider principal={actor} reportDenial={reportDenial}>
      <PreferencesProvider initial={preferences} mac={mac}>
        <FrameCommandsProvider>
          <a
            href="#main"
            className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-text px-3 py-1.5 font-medium text-bg focus:translate-y-0 max-sm:py-2.5"
          >
            Skip to content
          </a>
          <div className="flex h-full">
            <Rail />
            <div className="flex min-w-0 flex-1 flex-col">
              <TopBar />
              <ServerAway />
              <ExposureAlert exposure={exposure} />
              <DatabaseAlert />
              <PausedAlert />
              {notifies && <ApprovalNotifier />}
              <FollowAccess />
              <main
                ref={main}
                id="main"
                tabIndex={-1}
                className="relative min-h-0 min-w-0 flex-1 overflow-y-auto focus:outline-none"
              >
                {children}
              </main>
            </div>
          </div>
        </FrameCommandsProvider>
      </PreferencesProvider>
    </AccessProvider>
  );
}

/** Shown on every page while the server does not answer. It is not loaded on demand: nothing can be loaded then. */
export function ServerAway() {
  const reach = useServerReach();
  return reach.state === "away" && <AwayBanner {...reach} />;
}

function AwayBanner({ retryAt, holdsPage }: ServerReach) {
  const now = useNow(1_000);
  const seconds = Math.max(1, Math.ceil(((retryAt ?? 0) - (now ?? 0)) / 1_000));
  return (
    <section
      aria-label="Connection"
      data-status="failed"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-bad border-b bg-bad-bg px-4 py-1.5 max-md:px-3"
    >
      <p role="alert" className="min-w-0 flex-1 basis-60">
        <span className="font-medium text-bad">Toolroom does not answer.</span>{" "}
        {holdsPage ? "The page you chose opens when it is back." : "This page shows what was read last."}
      </p>
      <span className="text-mute text-xs tabular-nums">Next try in {seconds} s</span>
      <Button onClick={reconnectNow}>Try now</Button>
    </section>
  );
}

/** Shown on every page while the server refuses calls because its database file is gone or its disk is filling up. */
export function DatabaseAlert() {
  const { data, refetch } = useQuery(trpc.system.info.queryOptions());
  useLiveEvents((event) => {
    if (event.type === "system") void refetch();
  });
  const problem = data?.databaseProblem;
  if (problem) {
    return (
      <Alert tone="bad" live title="Database unavailable" className="m-3 shrink-0">
        <p>{problem}</p>
      </Alert>
    );
  }
  const { warning, refusesCalls } = data?.disk ?? { warning: null, refusesCalls: false };
  if (warning === null) return null;
  const title = refusesCalls ? "New calls are refused: the disk is full" : "The disk is filling up";
  return (
    <Alert tone={refusesCalls ? "bad" : "warn"} live title={title} className="m-3 shrink-0">
      <p>
        {warning}{" "}
        <Link href="/settings/storage" className="underline">
          Open storage
        </Link>
      </p>
    </Alert>
  );
}

/** Shown on every page of a server whose database is a copy, until an admin makes it the original. */
export function PausedAlert() {
  const { data, refetch } = useQuery(trpc.system.info.queryOptions());
  useLiveEvents((event) => {
    if (event.type === "system") void refetch();
  });
  return data?.paused ? <PausedBanner pause={data.paused} /> : null;
}

/** Reads the user's rights again when they change, and opens the sign-in page when the session ends. */
export function FollowAccess() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { id } = usePrincipal();
  const hasAccounts = useHasAccounts();
  useLiveEvents((event) => {
    if (event.type === "signed_out") return openSignIn();
    const isOwn = event.type === "account" && (event.personId === null || event.personId === id);
    if (isOwn) void queryClient.invalidateQueries();
    // The layout passes the signed-in user to the page. A reset may hide a missed change of rights.
    if (isOwn || (hasAccounts && event.type === "reset")) router.refresh();
  });
  return null;
}

/** Stands beside the page from 768 px on; below, the top bar opens it as a sheet. */
function Rail() {
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
        icon={Icon}
        label={closed ? "Expand sidebar" : "Collapse sidebar"}
        aria-expanded={!closed}
        onClick={() => change({ rail: closed ? "open" : "closed" })}
        className={closed ? "mx-auto" : "ml-0.5"}
      />
    </nav>
  );
}

function Brand({ closed = false }: { closed?: boolean }) {
  return (
    <Link
      href="/"
      aria-label="Toolroom, overview"
      className="flex h-7 items-center gap-2 rounded-md px-2 font-semibold text-base"
    >
      <span aria-hidden className="grid size-4.5 shrink-0 place-items-center rounded-sm bg-text">
        <span className="size-2 rounded-[2px] border-[1.5px] border-bg" />
      </span>
      {!closed && <span>Toolroom</span>}
    </Link>
  );
}
