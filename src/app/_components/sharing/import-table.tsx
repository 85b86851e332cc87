import { type Column, DataTable } from "@/app/_kit/data-table";
import { textColumn } from "@/app/_kit/list/columns";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Input, NativeSelect } from "@/app/_ui/field";
import type { ImportEntry, ImportStatus } from "@/lib/contract/catalog-file";
import { describeProblem } from "@/lib/contract/problem";
import { formatPlural } from "@/lib/format";
import { type ImportAction, listActions, toKey, type useImportFile } from "./use-import-file";

type ImportFile = ReturnType<typeof useImportFile>;

const STATUSES: readonly { status: ImportStatus; word: string; tone: BadgeTone }[] = [
  { status: "conflict", word: "conflict", tone: "bad" },
  { status: "change", word: "change", tone: "warn" },
  { status: "invalid", word: "invalid", tone: "bad" },
  { status: "add", word: "new", tone: "ok" },
  { status: "same", word: "no change", tone: "neutral" },
];
const ACTION_WORDS: Record<ImportAction, string> = {
  add: "Add",
  replace: "Replace",
  rename: "Import as…",
  skip: "Skip",
};

/** Every entry of the file with what becomes of it; what has to be decided comes first. */
export function ImportTable({ file, entries }: { file: ImportFile; entries: readonly ImportEntry[] }) {
  const rows = STATUSES.flatMap(({ status }) => entries.filter((entry) => entry.status === status));
  const counts = STATUSES.map(({ status, word }) => ({
    word,
    count: entries.filter((e) => e.status === status).length,
  }));
  const columns: readonly Column<ImportEntry>[] = [
    textColumn("Name", (entry) => <EntryName entry={entry} />, {
      className: "pl-3!",
      cellClass: "min-w-0 max-md:block",
    }),
    textColumn("What changes", (entry) => <EntryFacts entry={entry} />, {
      cellClass: "w-full max-md:block max-md:pl-3",
    }),
    textColumn("Import", (entry) => <EntryChoice entry={entry} file={file} />, {
      cellClass: "max-md:block max-md:pl-3 max-md:pb-2",
    }),
  ];
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <p role="status" className="flex-1 text-mute text-xs max-sm:basis-full">
          {counts
            .filter(({ count }) => count > 0)
            .map(({ word, count }) => `${count} ${word}`)
            .join(" · ")}
        </p>
        {entries.some(({ status }) => status === "change") && (
          <>
            <Button onClick={() => file.chooseAll("replace")}>Replace all changes</Button>
            <Button onClick={() => file.chooseAll("skip")}>Skip all existing</Button>
          </>
        )}
      </div>
      <div className="mt-2 border-line border-t">
        <DataTable
          label="Preview of the import"
          look="catalog"
          columns={columns}
          rows={rows}
          toKey={toKey}
          step={100}
          rowProps={() => ({ className: "max-md:block" })}
        />
      </div>
    </div>
  );
}

function EntryName({ entry: { kind, name, status } }: { entry: ImportEntry }) {
  const { word, tone } = STATUSES.find((each) => each.status === status) ?? { word: status, tone: "neutral" as const };
  return (
    <div className="md:w-56">
      <p className="font-medium font-mono text-xs leading-5 [overflow-wrap:anywhere]">{name}</p>
      <p className="flex gap-1">
        <Badge>{kind}</Badge>
        <Badge tone={tone}>{word}</Badge>
      </p>
    </div>
  );
}

const SHOWN_DETAILS = 8;

function EntryFacts({ entry }: { entry: ImportEntry }) {
  const { problems, conflict, denied, details, breaking, notes, target, secrets } = entry;
  return (
    <div className="flex flex-col gap-0.5 text-xs [overflow-wrap:anywhere]">
      {target !== null && <p className="font-mono text-mute">{target}</p>}
      {conflict !== null && <p className="text-bad">{conflict}.</p>}
      {problems.slice(0, SHOWN_DETAILS).map((problem) => (
        <p key={problem.path + problem.message} className="text-bad">
          {describeProblem(problem, ": ")}
        </p>
      ))}
      {breaking && <p className="text-warn">Calls made for the old definition may fail.</p>}
      {details.slice(0, SHOWN_DETAILS).map((detail) => (
        <p key={detail}>{detail}</p>
      ))}
      {details.length > SHOWN_DETAILS && <p className="text-mute">{details.length - SHOWN_DETAILS} more</p>}
      {secrets.length > 0 && (
        <p className="text-warn">
          {formatPlural(secrets.length, "value")} to enter afterwards: {secrets.join(", ")}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="text-mute">
          {note}
        </p>
      ))}
      {denied !== null && <p className="text-bad">{denied}.</p>}
    </div>
  );
}

function EntryChoice({ entry, file }: { entry: ImportEntry; file: ImportFile }) {
  const actions = listActions(entry);
  const { action, name } = file.getChoice(entry);
  if (actions.length === 1) return <span className="text-mute text-xs">Skipped</span>;
  return (
    <div className="flex flex-col gap-1 md:w-44">
      <NativeSelect
        aria-label={`Import of ${entry.kind} ${entry.name}`}
        value={action ?? ""}
        invalid={action === null}
        options={actions.map((each) => [each, ACTION_WORDS[each]])}
        onChange={({ target }) => file.choose(entry, { action: actions.find((each) => each === target.value) ?? null })}
      >
        {entry.status !== "add" && <option value="">Decide…</option>}
      </NativeSelect>
      {action === "rename" && (
        <Input
          aria-label={`New name of ${entry.kind} ${entry.name}`}
          value={name}
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-xs!"
          onChange={(event) => file.choose(entry, { name: event.target.value })}
        />
      )}
    </div>
  );
}
