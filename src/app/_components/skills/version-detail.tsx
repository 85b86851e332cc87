import { useId, useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import type { OwnSkill, SkillVersion, SkillVersionDetail } from "@/lib/contract/own-skill";
import { FileChanges, FileTexts } from "./file-changes";
import { describeSkillCause } from "./skill-words";

interface VersionDetailProps {
  skill: OwnSkill;
  version: SkillVersionDetail;
  /** The version that it is compared with; null where there is none, undefined until it is loaded. */
  before: SkillVersionDetail | null | undefined;
  versions: readonly SkillVersion[];
  onCompare: (version: number) => void;
  onRestored: () => void;
}

/** One version: who made it, and its files as they differ from another version. */
export function VersionDetail({ skill, version, before, versions, onCompare, onRestored }: VersionDetailProps) {
  const id = useId();
  const [isRestoring, setRestoring] = useState(false);
  const { version: number, at, digest } = version;
  const isCurrent = number === skill.version;
  const others = versions.filter((each) => each.version !== number);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 max-sm:basis-full">
          <h2 className="font-medium text-base">Version {number}</h2>
          <p className="text-mute text-xs [overflow-wrap:anywhere]">
            {describeSkillCause(version)} · <RelativeTime at={at} /> ·{" "}
            <span title={digest} className="font-mono">
              {digest.slice(0, 19)}…
            </span>
          </p>
        </div>
        <Button
          needs="edit"
          disabled={isCurrent}
          title={isCurrent ? "This is the current version" : undefined}
          onClick={() => setRestoring(true)}
        >
          Restore
        </Button>
      </header>
      {before !== null && (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={id} className="text-mute">
            Compared with
          </label>
          <NativeSelect
            id={id}
            className="w-36!"
            value={String(before?.version ?? "")}
            onChange={({ target }) => onCompare(Number(target.value))}
            options={others.map((each) => [String(each.version), `Version ${each.version}`] as const)}
          />
        </div>
      )}
      {before === undefined ? (
        <Skeleton className="h-40" />
      ) : before === null ? (
        <>
          <p className="text-mute">The oldest version that is kept: there is none to compare it with.</p>
          <FileTexts files={version.files} />
        </>
      ) : (
        <FileChanges before={before.files} after={version.files} none="Both versions have the same files." />
      )}
      {isRestoring && (
        <ConfirmAction
          title={`Restore version ${number}?`}
          description={`Agents read these files of ${skill.name} from then on. They become a new version; the others stay.`}
          action="Restore"
          running="Restoring…"
          variant="primary"
          needs="edit"
          failure="Couldn't restore the version"
          run={() => client.ownSkills.restore.mutate({ name: skill.name, number, revision: skill.lastEdit.revision })}
          stale={[trpc.ownSkills]}
          done={`${skill.name}: version ${number} restored`}
          onDone={onRestored}
          onClose={() => setRestoring(false)}
        />
      )}
    </div>
  );
}
