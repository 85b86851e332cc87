"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { ApprovalNotifier } from "@/app/_components/approvals/summary/approval-notifier";
import type { Preferences } from "@/app/_kit/preferences";
import { PreferencesProvider } from "@/app/_kit/preferences-provider";
import { AccessProvider } from "@/app/_ui/access";
import { useToast } from "@/app/_ui/toast";
import type { Principal } from "@/lib/contract/access";
import { DatabaseAlert } from "./database-alert";
import { FollowAccess } from "./follow-access";
import { FrameCommandsProvider } from "./frame-commands";
import { Rail } from "./rail";
import { TopBar } from "./top-bar";

export interface FrameProps {
  preferences: Preferences;
  mac: boolean;
  /** Who calls are recorded as, with what they may do. */
  actor: Principal;
  children: ReactNode;
}

/**
 * Rail, top bar, and the page in the rest: `main` has a definite height and scrolls, so that a page may pin its head
 * and scroll its columns with `h-full` and `min-h-0`.
 */
export function Frame({ preferences, mac, actor, children }: FrameProps) {
  const pathname = usePathname();
  const main = useRef<HTMLElement>(null);
  const toast = useToast();
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
            className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-text px-3 py-1.5 font-medium text-bg focus:translate-y-0"
          >
            Skip to content
          </a>
          <div className="flex h-full">
            <Rail />
            <div className="flex min-w-0 flex-1 flex-col">
              <TopBar />
              <DatabaseAlert />
              <ApprovalNotifier />
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
