import { useId, useState } from "react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { client, trpc } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import type { OwnSkill, OwnSkillFile, SkillVersion, SkillVersionDetail } from "@/lib/contract/own-skill";
import { formatBytes } from "@/lib/format";
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
      {before === undefined ? <Skeleton className="h-40" /> : <FileChanges before={before} after={version} />}
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

type Change = "added" | "removed" | "changed";
const TONES: Record<Change, BadgeTone> = { added: "ok", removed: "bad", changed: "warn" };

interface FileChange {
  path: string;
  change: Change;
  left: OwnSkillFile | undefined;
  right: OwnSkillFile | undefined;
}

function compareFiles(before: SkillVersionDetail, after: SkillVersionDetail): FileChange[] {
  const left = new Map(before.files.map((file) => [file.path, file]));
  const right = new Map(after.files.map((file) => [file.path, file]));
  return [...new Set([...right.keys(), ...left.keys()])].flatMap((path) => {
    const one = left.get(path);
    const other = right.get(path);
    if (one?.digest === other?.digest) return [];
    const change = one === undefined ? "added" : other === undefined ? "removed" : "changed";
    return [{ path, change, left: one, right: other }];
  });
}

/** The files that differ; all of them where there is no other version. */
function FileChanges({ before, after }: { before: SkillVersionDetail | null; after: SkillVersionDetail }) {
  if (before === null) {
    return (
      <>
        <p className="text-mute">The oldest version that is kept: there is none to compare it with.</p>
        {after.files.map((file) => (
          <section key={file.path} aria-label={file.path} className="flex min-w-0 flex-col gap-1.5">
            <h2 className="font-medium [overflow-wrap:anywhere]">{file.path}</h2>
            <FileContent file={file} />
          </section>
        ))}
      </>
    );
  }
  const changes = compareFiles(before, after);
  if (changes.length === 0) return <p className="text-mute">Both versions have the same files.</p>;
  return changes.map(({ path, change, left, right }) => (
    <section key={path} aria-label={path} className="flex min-w-0 flex-col gap-1.5">
      {left?.text != null && right?.text != null ? (
        <DiffView label={path} left={left.text} right={right.text} />
      ) : (
        <>
          <h2 className="flex items-center gap-2 font-medium">
            <span className="min-w-0 [overflow-wrap:anywhere]">{path}</span>
            <Badge tone={TONES[change]}>{change}</Badge>
          </h2>
          <FileContent file={right ?? left} />
        </>
      )}
    </section>
  ));
}

function FileContent({ file }: { file: OwnSkillFile | undefined }) {
  if (file === undefined) return null;
  if (file.text === null) {
    return (
      <p className="text-mute text-xs">
        {file.mediaType} · {formatBytes(file.size)}, no text
      </p>
    );
  }
  return (
    <div className="rounded-lg border border-line bg-panel p-2.5">
      <ClippedText text={file.text} label={file.path} />
    </div>
  );
}
