import { useRouter } from "next/navigation";
import { useId } from "react";
import { RULES_PATH } from "@/app/_components/rules/summary/rule-paths";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { FileChoice } from "@/app/_kit/file-choice";
import { useAction } from "@/app/_kit/use-action";
import { usePagePaste } from "@/app/_kit/use-page-paste";
import { trpc } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Textarea } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { isBundleText } from "@/lib/contract/bundle-text";
import type { ImportOutcome } from "@/lib/contract/catalog-file";
import type { OpenedBundle } from "@/lib/contract/execution-bundle";
import { formatBytes, formatPlural } from "@/lib/format";
import { ProgressBar } from "../executions/result/progress-bar";
import { ImportTable } from "./import-table";
import { type ImportSource, useImportFile } from "./use-import-file";

const OPENED = {
  same: "The tool here is the one of the bundle.",
  different: "The tool here differs from the one of the bundle.",
  missing: "There is no such tool here: import it from the bundle, or create a mock.",
} as const satisfies Record<OpenedBundle["tool"], string>;

export function ImportSection() {
  const file = useImportFile();
  const { source, preview, outcome, failure } = file;
  return (
    <Card title="Import" action={source !== null && <Button onClick={file.reset}>Import another file</Button>}>
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <AccessNotice needs="edit" />
        {source === null ? (
          <SourceChoice onSource={file.read} />
        ) : (
          <p className="text-mute [overflow-wrap:anywhere]" role="status">
            <span className="font-medium text-text">{source.label}</span> · {formatBytes(source.text.length)}
            {file.reading && " · Comparing with the catalog…"}
            {preview?.format === "catalogue" && preview.entries.length > 0 && " · Catalog file"}
            {preview?.format === "servers" &&
              preview.entries.length > 0 &&
              " · Configuration of MCP servers, such as an mcp.json"}
          </p>
        )}
        {source !== null && isBundleText(source.text) && <BundleNotice text={source.text} />}
        {file.progress !== null && (
          <ProgressBar
            progress={{ progress: file.progress.done, total: file.progress.total, message: "Entries compared" }}
          />
        )}
        {failure !== null && (
          <Alert live tone="bad" title={failure}>
            <Button onClick={file.readAgain} className="mt-1.5">
              Compare again
            </Button>
          </Alert>
        )}
        {outcome !== null && <ImportResult outcome={outcome} />}
        {outcome === null && preview !== null && (
          <>
            {preview.problems.length > 0 && (
              <Alert live tone="bad" title="The file cannot be imported as it is">
                <Lines lines={preview.problems} />
              </Alert>
            )}
            {preview.notes.length > 0 && <Lines lines={preview.notes} />}
            {preview.problems.length === 0 && preview.entries.length === 0 && (
              <p>The file has no tools, servers, toolsets, rules or cases.</p>
            )}
            {preview.entries.length > 0 && <ImportTable file={file} entries={preview.entries} />}
            {preview.entries.length > 0 && <ImportButton file={file} />}
          </>
        )}
      </div>
    </Card>
  );
}

function SourceChoice({ onSource }: { onSource: (source: ImportSource) => void }) {
  const id = useId();
  const read = (text: string, label: string) => text.trim() !== "" && onSource({ text, label });
  usePagePaste((text) => read(text, "Pasted text"));
  return (
    <div>
      <div className="mb-1 flex items-end gap-2">
        <label htmlFor={id} className="flex-1 font-medium">
          Catalog file, mcp.json or bundle
        </label>
        <FileChoice accept=".json,.jsonc,.yaml,.yml,.toml,.txt,application/json" onText={read} />
      </div>
      <Textarea
        id={id}
        rows={4}
        spellCheck={false}
        autoComplete="off"
        placeholder="Paste the text here"
        aria-describedby={`${id}-hint`}
        className="resize-y font-mono text-xs!"
        onPaste={(event) => {
          event.preventDefault();
          read(event.clipboardData.getData("text"), "Pasted text");
        }}
        onChange={(event) => read(event.target.value, "Pasted text")}
      />
      <p id={`${id}-hint`} className="mt-1 text-mute text-xs">
        Nothing is imported yet: first you see what would be added and changed. Up to 10 MB.
      </p>
    </div>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="text-xs [overflow-wrap:anywhere]">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function ImportButton({ file }: { file: ReturnType<typeof useImportFile> }) {
  const { undecided, chosen } = file;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        variant="primary"
        size="md"
        needs="edit"
        disabled={undecided > 0 || chosen === 0 || file.importing}
        onClick={file.run}
      >
        {file.importing ? "Importing…" : `Import ${formatPlural(chosen, "entry", "entries")}`}
      </Button>
      <p className="text-mute text-xs">
        {undecided > 0
          ? `${formatPlural(undecided, "entry", "entries")} to decide: replace, rename or skip`
          : "All of it is imported, or nothing."}
      </p>
    </div>
  );
}

type Imported = ImportOutcome["imported"][number];

/** The imported objects, with the remaining steps. */
function ImportResult({ outcome: { imported, skipped } }: { outcome: ImportOutcome }) {
  return (
    <section aria-label="Import result" className="flex flex-col gap-2">
      <p role="status" className="font-medium">
        {formatPlural(imported.length, "entry", "entries")} imported
        {skipped > 0 && <span className="font-normal text-mute"> · {skipped} skipped</span>}
      </p>
      <ul className="flex flex-col gap-1">
        {imported.map((entry) => (
          <li key={`${entry.kind}:${entry.name}`} className="[overflow-wrap:anywhere]">
            <Link href={toPath(entry)} className="font-mono text-xs underline">
              {entry.name}
            </Link>{" "}
            <span className="text-mute text-xs">
              {entry.kind} {entry.action}
              {!entry.enabled && ", disabled"}
            </span>
            {entry.secrets.length > 0 && (
              <span className="text-warn text-xs">
                {" "}
                · enter {entry.secrets.join(", ")} in{" "}
                <Link href={`${toServerPath(entry.name)}/edit`} className="underline">
                  its settings
                </Link>
                , then enable it
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function toPath({ kind, name }: Imported): string {
  if (kind === "rule" || kind === "case") return RULES_PATH;
  return kind === "server" ? toServerPath(name) : `/${kind}s/${encodeURIComponent(name)}`;
}

/** A file that holds an execution: it is opened apart from the tool or the server that came with it. */
function BundleNotice({ text }: { text: string }) {
  const router = useRouter();
  const open = useAction(trpc.bundles.open.mutationOptions({ gcTime: 0 }), {
    stale: [trpc.executions],
    done: ({ toolName, tool }) => `Opened a call of ${toolName}. ${OPENED[tool]}`,
    onDone: ({ id }) => router.push(`/executions/${id}`),
  });
  return (
    <Alert tone="accent" title="The file is the bundle of an execution">
      <p>
        Opening it records the call here, in no figure. What it needs is below: import that too if you want to replay
        the call.
      </p>
      <Button needs="run" className="mt-1.5" disabled={open.isPending} onClick={() => open.mutate({ text })}>
        {open.isPending ? "Opening…" : "Open execution"}
      </Button>
    </Alert>
  );
}
