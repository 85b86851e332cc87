import { Ellipsis, List, PanelRight, Plus, RotateCw, SlidersHorizontal } from "lucide-react";
import { useRouter } from "next/navigation";
import { RunFacts, useCopyRunItems } from "@/app/_components/runs/detail/run-facts";
import { isLive, type RunState } from "@/app/_components/runs/detail/run-state";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { Button, ButtonLink, IconButton } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import { PageHeader } from "@/app/_ui/page-header";

interface PlaygroundHeaderProps {
  state: RunState | null;
  stopping: boolean;
  modelLabel: string;
  /** Opens the settings in a sheet. */
  onSettings: () => void;
  /** Undefined where there is nothing to rerun. */
  onRerun: (() => void) | undefined;
}

export function PlaygroundHeader({ state, stopping, modelLabel, onSettings, onRerun }: PlaygroundHeaderProps) {
  const router = useRouter();
  const copies = useCopyRunItems(state);
  const { preferences, change } = usePreferences();
  const panelOpen = preferences.panel === "open";
  const going = state !== null && isLive(state.detail.status);
  return (
    <PageHeader
      title={state === null ? "Playground" : state.detail.title || state.detail.id}
      badges={state !== null && <RunBadge run={state.detail} stopping={stopping} />}
      actions={
        <>
          <ButtonLink icon={List} href="/runs" aria-label="All conversations" className="lg:hidden"></ButtonLink>
          <Button
            icon={SlidersHorizontal}
            onClick={onSettings}
            className="max-w-48 xl:hidden"
            aria-label={`Settings, model ${modelLabel}`}
          >
            <span className="truncate max-sm:sr-only">{modelLabel}</span>
          </Button>
          {state !== null && (
            <>
              <Button icon={RotateCw} needs="run" disabled={going || onRerun === undefined} onClick={onRerun}>
                Rerun…
              </Button>
              <Menu
                align="end"
                trigger={<Button icon={Ellipsis} aria-label="More actions" />}
                items={[
                  {
                    label: "Compare with another run…",
                    onSelect: () => router.push(toCompareRunsPath(state.detail.id)),
                  },
                  ...copies,
                ]}
              />
              <ButtonLink icon={Plus} href="/playground" aria-label="New conversation">
                <span className="max-sm:hidden">New</span>
              </ButtonLink>
            </>
          )}
          <IconButton
            icon={PanelRight}
            label={panelOpen ? "Hide settings" : "Show settings"}
            aria-expanded={panelOpen}
            onClick={() => change({ panel: panelOpen ? "closed" : "open" })}
            className="max-xl:hidden"
          />
        </>
      }
    >
      {state === null ? undefined : <RunFacts state={state} />}
    </PageHeader>
  );
}
