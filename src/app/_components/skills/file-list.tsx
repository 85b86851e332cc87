import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { FilesChoice } from "@/app/_kit/file-choice";
import { FieldProblems } from "@/app/_kit/form-field";
import { useDenial } from "@/app/_ui/access";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { formatBytes } from "@/lib/format";
import { findPathProblems, SKILL_FILE } from "@/lib/skill-files";
import { readDraftFile } from "./read-files";
import { getSize, type SkillDraft, withFile } from "./skill-draft";

interface FileListProps {
  draft: SkillDraft;
  chosen: string;
  onChoose: (path: string) => void;
  onChange: (change: (before: SkillDraft) => SkillDraft) => void;
}

/** The files of a draft, of which one is open; files are added and removed here. */
export function FileList({ draft, chosen, onChoose, onChange }: FileListProps) {
  const isDenied = useDenial("edit") !== null;
  return (
    <section aria-label="Files" className="min-w-0 rounded-lg border border-line bg-panel">
      <ul className="max-h-80 overflow-y-auto md:max-h-[28rem]">
        {draft.files.map((file) => (
          <li
            key={file.path}
            className={cx(
              "flex items-center border-line not-first:border-t",
              file.path === chosen ? "bg-accent-bg" : "hover:bg-rail",
            )}
          >
            <button
              type="button"
              data-row=""
              aria-current={file.path === chosen || undefined}
              onClick={() => onChoose(file.path)}
              className="-outline-offset-2 min-w-0 flex-1 px-3 py-1.5 text-left max-sm:py-2.5"
            >
              <span className="block font-mono text-xs [overflow-wrap:anywhere]">{file.path}</span>
              <span className="text-2xs text-mute tabular-nums">{formatBytes(getSize(file))}</span>
            </button>
            {file.path !== SKILL_FILE && !isDenied && (
              <IconButton
                icon={Trash2}
                label={`Remove ${file.path}`}
                onClick={() => onChange((before) => withFile(before, file.path, null))}
              />
            )}
          </li>
        ))}
      </ul>
      {!isDenied && <AddFiles draft={draft} onChoose={onChoose} onChange={onChange} />}
    </section>
  );
}

function AddFiles({ draft, onChoose, onChange }: Omit<FileListProps, "chosen">) {
  const [isNaming, setNaming] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function upload(files: readonly File[]): Promise<void> {
    try {
      const read = await Promise.all(files.map((file) => readDraftFile(file, file.name)));
      onChange((before) => read.reduce((made, file) => withFile(made, file.path, file), before));
      setProblem(null);
      if (read[0] !== undefined) onChoose(read[0].path);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <div className="flex flex-col gap-2 border-line border-t p-2.5">
      {isNaming ? (
        <PathInput
          paths={draft.files.map((file) => file.path)}
          onClose={() => setNaming(false)}
          onPath={(path) => {
            onChange((before) => withFile(before, path, { path, text: "" }));
            onChoose(path);
          }}
        />
      ) : (
        <div className="flex flex-wrap gap-1.5">
          <Button icon={Plus} onClick={() => setNaming(true)}>
            New file
          </Button>
          <FilesChoice label="Upload" of="several" onFiles={(files) => void upload(files)} />
        </div>
      )}
      <FieldProblems id="skill-upload" problems={problem === null ? [] : [problem]} />
    </div>
  );
}

interface PathInputProps {
  /** The paths that are there. */
  paths: readonly string[];
  onPath: (path: string) => void;
  onClose: () => void;
}

/** Takes the path of a new file, which it refuses where no such file can be. */
function PathInput({ paths, onPath, onClose }: PathInputProps) {
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  function add(): void {
    const wanted = path.trim();
    const found = findPathProblems([...paths, wanted]).find((each) => each.path === wanted);
    setProblem(found === undefined ? null : `Path ${found.message}`);
    if (found !== undefined) return;
    onPath(wanted);
    onClose();
  }
  return (
    <>
      <Input
        // The button that opened it had the focus.
        ref={focus}
        aria-label="Path of a new file"
        aria-describedby={problem === null ? undefined : "skill-path-problems"}
        invalid={problem !== null}
        placeholder="references/steps.md"
        value={path}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-xs"
        onChange={(event) => setPath(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") return onClose();
          // The form around it would be saved.
          if (event.key !== "Enter" || event.metaKey || event.ctrlKey) return;
          event.preventDefault();
          add();
        }}
      />
      <FieldProblems id="skill-path" problems={problem === null ? [] : [problem]} />
      <div className="flex gap-1.5">
        <Button onClick={add}>Add</Button>
        <Button variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </>
  );
}

const focus = (input: HTMLInputElement | null): void => input?.focus();
