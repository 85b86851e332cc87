import { useId, useState } from "react";
import { FilesChoice } from "@/app/_kit/file-choice";
import { FormField } from "@/app/_kit/form-field";
import { useDenial } from "@/app/_ui/access";
import { Input, Textarea } from "@/app/_ui/field";
import type { OwnSkillFile } from "@/lib/contract/own-skill";
import { formatBytes } from "@/lib/format";
import { explainPath, SKILL_FILE } from "@/lib/skill-files";
import { readDraftFile } from "./read-files";
import { type DraftFile, getSize } from "./skill-draft";

interface FileEditorProps {
  file: DraftFile;
  /** What is stored at the path. */
  stored: OwnSkillFile | undefined;
  onChange: (next: DraftFile) => void;
}

/** One file of a draft: its path, and its text where it is text. */
export function FileEditor({ file, stored, onChange }: FileEditorProps) {
  const id = useId();
  const isDenied = useDenial("edit") !== null;
  return (
    <section aria-label={file.path} className="flex min-w-0 flex-col gap-3">
      {file.path !== SKILL_FILE && <PathField file={file} disabled={isDenied} onChange={onChange} />}
      {"text" in file ? (
        <div>
          <label htmlFor={id} className="mb-1 block font-medium">
            {file.path === SKILL_FILE ? SKILL_FILE : "Text"}
          </label>
          <Textarea
            id={id}
            rows={26}
            readOnly={isDenied}
            value={file.text}
            className="resize-y font-mono text-xs leading-5"
            onChange={(event) => onChange({ path: file.path, text: event.target.value })}
          />
          {file.path === SKILL_FILE && (
            <p className="mt-1 text-mute text-xs">
              The description in the front matter is what an agent chooses by; the rest is read when it has.
            </p>
          )}
        </div>
      ) : (
        <BinaryFile file={file} stored={stored} isDenied={isDenied} onChange={onChange} />
      )}
    </section>
  );
}

/** The path is taken when the field is left: until then it may be no path. */
function PathField({
  file,
  disabled,
  onChange,
}: {
  file: DraftFile;
  disabled: boolean;
  onChange: FileEditorProps["onChange"];
}) {
  const id = useId();
  const [path, setPath] = useState(file.path);
  const problem = explainPath(path.trim());
  function take(): void {
    const wanted = path.trim();
    if (wanted !== file.path && problem === null) onChange({ ...file, path: wanted });
  }
  return (
    <FormField id={id} label="Path" problems={problem === null ? [] : [problem]}>
      <Input
        id={id}
        value={path}
        disabled={disabled}
        invalid={problem !== null}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-xs"
        onChange={(event) => setPath(event.target.value)}
        onBlur={take}
      />
    </FormField>
  );
}

function BinaryFile({ file, stored, isDenied, onChange }: FileEditorProps & { isDenied: boolean }) {
  const [problem, setProblem] = useState<string | null>(null);
  const type = stored !== undefined && "digest" in file ? `${stored.mediaType} · ` : "";
  return (
    <div className="flex flex-col items-start gap-3 rounded-lg border border-line bg-panel p-3.5">
      <p className="text-mute">
        {type}
        {formatBytes(getSize(file))}. The file is no text: replace it with another one to change it.
      </p>
      {!isDenied && (
        <FilesChoice
          label="Replace file"
          onFiles={([next]) =>
            next && readDraftFile(next, file.path).then(onChange, (error: Error) => setProblem(error.message))
          }
        />
      )}
      {problem !== null && (
        <p role="alert" className="text-bad text-xs">
          {problem}
        </p>
      )}
    </div>
  );
}
