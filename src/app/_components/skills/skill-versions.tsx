import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { parseAsInteger, useQueryStates } from "nuqs";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { QueryState } from "@/app/_kit/query-state";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { OwnSkill, SkillVersion } from "@/lib/contract/own-skill";
import { formatPlural } from "@/lib/format";
import { describeSkillCause } from "./skill-words";
import { VersionDetail } from "./version-detail";

/** The versions of a skill, and what one of them changed. */
export function SkillVersions({ skill }: { skill: OwnSkill }) {
  const { name } = skill;
  const { data: versions, refetch } = useSuspenseQuery(trpc.ownSkills.versions.queryOptions({ name }));
  useLiveRefresh(refetch, "skills");
  const [{ version, against }, setAddress] = useQueryStates({ version: parseAsInteger, against: parseAsInteger });
  const shown = version ?? skill.version;
  const former = versions.find((each) => each.version < shown)?.version ?? null;
  const other = against ?? former;
  const detail = useQuery(trpc.ownSkills.version.queryOptions({ name, number: shown }));
  const compared = useQuery({
    ...trpc.ownSkills.version.queryOptions({ name, number: other ?? 0 }),
    enabled: other !== null,
  });
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-[clamp(280px,var(--pane-versions,24rem),calc(100%-340px))_0_minmax(0,1fr)] lg:overflow-hidden">
      <ScrollRegion label="Versions" className="min-h-0 border-line max-lg:max-h-80 max-lg:border-b lg:border-r">
        <ol>
          {versions.map((each) => (
            <li key={each.version} className="border-line not-first:border-t">
              <VersionRow
                version={each}
                isCurrent={each.version === skill.version}
                isShown={each.version === shown}
                onShow={() => void setAddress({ version: each.version, against: null }, { history: "push" })}
              />
            </li>
          ))}
        </ol>
      </ScrollRegion>
      <PaneHandle pane="versions" label="Resize the versions" resizes="before" className="max-lg:hidden" />
      <ScrollRegion label={`Version ${shown}`} className="min-h-0 p-3.5">
        <QueryState query={detail} what="the version" bars={["h-64"]}>
          {(found) => (
            <VersionDetail
              key={found.version}
              skill={skill}
              version={found}
              before={other === null ? null : (compared.data ?? undefined)}
              versions={versions}
              onCompare={(next) => void setAddress({ version: shown, against: next })}
              onRestored={() => void setAddress({ version: null, against: null })}
            />
          )}
        </QueryState>
      </ScrollRegion>
    </div>
  );
}

interface VersionRowProps {
  version: SkillVersion;
  isCurrent: boolean;
  isShown: boolean;
  onShow: () => void;
}

function VersionRow({ version, isCurrent, isShown, onShow }: VersionRowProps) {
  return (
    <button
      type="button"
      data-row=""
      aria-current={isShown}
      onClick={onShow}
      className={cx(
        "-outline-offset-2 flex w-full flex-col gap-0.5 px-3.5 py-2 text-left hover:bg-rail",
        isShown && "bg-accent-bg",
      )}
    >
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">Version {version.version}</span>
        {isCurrent && <Badge tone="ok">current</Badge>}
        <span className="ml-auto font-mono text-mute text-xs tabular-nums">
          {formatPlural(version.fileCount, "file")}
        </span>
      </span>
      <span className="text-mute text-xs [overflow-wrap:anywhere]">
        {describeSkillCause(version)} · <RelativeTime at={version.at} />
      </span>
    </button>
  );
}
