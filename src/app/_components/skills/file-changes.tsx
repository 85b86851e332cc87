import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { OwnSkillFile } from "@/lib/contract/own-skill";
import { formatBytes } from "@/lib/format";

type Change = "added" | "removed" | "changed";
const TONES: Record<Change, BadgeTone> = { added: "ok", removed: "bad", changed: "warn" };

interface FileChange {
  path: string;
  change: Change;
  left: OwnSkillFile | undefined;
  right: OwnSkillFile | undefined;
}

function compareFiles(before: readonly OwnSkillFile[], after: readonly OwnSkillFile[]): FileChange[] {
  const left = new Map(before.map((file) => [file.path, file]));
  const right = new Map(after.map((file) => [file.path, file]));
  return [...new Set([...right.keys(), ...left.keys()])].flatMap((path) => {
    const one = left.get(path);
    const other = right.get(path);
    if (one?.digest === other?.digest) return [];
    const change = one === undefined ? "added" : other === undefined ? "removed" : "changed";
    return [{ path, change, left: one, right: other }];
  });
}

interface FileChangesProps {
  before: readonly OwnSkillFile[];
  after: readonly OwnSkillFile[];
  /** The sentence where no file differs. */
  none: string;
}

/** The files that differ between two versions. */
export function FileChanges({ before, after, none }: FileChangesProps) {
  const changes = compareFiles(before, after);
  if (changes.length === 0) return <p className="text-mute">{none}</p>;
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

/** Every file of one version. */
export function FileTexts({ files }: { files: readonly OwnSkillFile[] }) {
  return files.map((file) => (
    <section key={file.path} aria-label={file.path} className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-medium [overflow-wrap:anywhere]">{file.path}</h2>
      <FileContent file={file} />
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
