import { useEffect, useId, useMemo, useRef, useState } from "react";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { FileChoice } from "@/app/_kit/file-choice";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { useFirstField } from "@/app/_kit/use-first-field";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { usePagePaste } from "@/app/_kit/use-page-paste";
import { useSubmitKey } from "@/app/_kit/use-submit-key";
import { useDenial } from "@/app/_ui/access";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ServerSettingsInput } from "@/lib/contract/server";
import type { ServerImport } from "@/lib/contract/server-import";
import { formatPlural } from "@/lib/format";
import { hideTextSecrets } from "./hide-text-secrets";
import { ImportCandidate } from "./import-candidate";
import { type ImportResultsData, useImport } from "./use-import";

const PLACEHOLDER = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]
    }
  }
}`;

interface ImportViewProps {
  text: string;
  onText: (text: string) => void;
  onOpenInForm: (settings: ServerSettingsInput, enabled: boolean) => void;
  /** Whether there is typed text that would be lost. */
  dirty: boolean;
}

/** Imports the servers of another client's configuration: they are detected, chosen and added. */
export function ImportView({ text, onText, onOpenInForm, dirty }: ImportViewProps) {
  const id = useId();
  const found = useImport(text);
  useLeaveGuard(dirty);
  const fields = useRef<HTMLDivElement>(null);
  useFirstField(fields);
  usePagePaste(onText);
  const { candidates, chosen, parse, needs } = found;
  const denied = useDenial(needs) !== null;
  const submit = (): void => {
    if (!denied) found.run();
  };
  useSubmitKey(submit);
  return (
    <form
      aria-label="Import servers"
      data-submit-key=""
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto p-4 lg:grid-cols-2">
        <div ref={fields} className="min-w-0">
          <AccessNotice needs={needs} className="mb-4" />
          <ConfigurationText id={id} text={text} onText={onText} parse={parse} pending={found.pending} />
          <p id={`${id}-hint`} className="mt-1 text-mute text-xs">
            A configuration file of Claude, Cursor, VS Code, Zed, Continue, opencode, Codex or Gemini CLI, a part of
            one, a <code className="font-mono">server.json</code> of the MCP registry, or a command such as{" "}
            <code className="font-mono">claude mcp add</code>. JSON, YAML or TOML; environment values and headers are
            stored encrypted.
          </p>
        </div>
        <section aria-label="Servers found" className="flex min-w-0 flex-col gap-2.5">
          <ImportResults results={found.results} />
          {found.failure !== null && (
            <Alert live tone="bad" title={found.failure}>
              <p>The text is still here. Try again.</p>
            </Alert>
          )}
          <p role="status" className="font-medium">
            {found.pending
              ? "Reading…"
              : text.trim() === ""
                ? "Detected servers appear here"
                : candidates.length === 0
                  ? "No servers found"
                  : `${formatPlural(candidates.length, "server")} found`}
          </p>
          {parse.problems.map((problem) => (
            <Alert key={problem} tone="bad" title={problem} />
          ))}
          {parse.notes.map((note) => (
            <p key={note} className="text-mute text-xs">
              {note}
            </p>
          ))}
          <ul className="flex flex-col gap-2.5">
            {candidates.map((candidate) => (
              <ImportCandidate
                key={candidate.original}
                candidate={candidate}
                onChosen={(on) => found.choose(candidate.original, on)}
                onRename={(name) => found.rename(candidate.original, name)}
                onOpenInForm={onOpenInForm}
              />
            ))}
          </ul>
        </section>
      </div>
      <footer className="flex shrink-0 items-center justify-end gap-2 border-line border-t bg-panel px-4 py-2.5">
        <Button needs={needs} type="submit" variant="primary" disabled={chosen === 0 || found.importing}>
          {found.importing ? "Importing…" : chosen === 0 ? "Import" : `Import ${formatPlural(chosen, "server")}`}
          <ShortcutKeys with="↵" plain />
        </Button>
      </footer>
    </form>
  );
}

/** Lists the imported servers with links, and why the others were not imported. */
function ImportResults({ results }: { results: ImportResultsData }) {
  const { created, rejected } = results;
  return (
    <div role="status" className="flex flex-col gap-2.5 empty:hidden">
      {created.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line2 px-3 py-2">
          <span className="font-medium">
            {created.every(({ enabled }) => enabled) ? "Added and connecting:" : "Added:"}
          </span>
          {created.map(({ name, enabled }) => (
            <span key={name}>
              <Link href={toServerPath(name)} className="rounded-xs font-mono text-xs underline">
                {name}
              </Link>
              {!enabled && <span className="text-mute text-xs"> (disabled)</span>}
            </span>
          ))}
          <Link href="/servers" className="ml-auto rounded-xs text-mute text-xs hover:text-text">
            All servers
          </Link>
        </div>
      )}
      {rejected.length > 0 && (
        <Alert tone="bad" title="Not added">
          <ul className="mt-1 flex flex-col gap-1">
            {rejected.map(({ name, error }) => (
              <li key={`${name} ${error}`}>
                <span className="font-medium font-mono text-xs">{name}</span>: {error}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  );
}

interface ConfigurationTextProps {
  id: string;
  text: string;
  onText: (text: string) => void;
  parse: ServerImport;
  /** The newest text has not been read yet. */
  pending: boolean;
}

/** The text to import. A pasted one is shown without its secrets once servers are found in it, until it is edited. */
function ConfigurationText({ id, text, onText, parse, pending }: ConfigurationTextProps) {
  // A text that is there when the view opens was pasted on an earlier visit of the tab.
  const [pasted, setPasted] = useState(text !== "");
  const edit = useRef<HTMLButtonElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const focusNext = useRef<"edit" | "area" | null>(null);
  const hidden = pasted && text !== "" && (pending || parse.servers.length > 0);
  const masked = useMemo(
    () => (hidden && !pending ? hideTextSecrets(text, parse) : ""),
    [hidden, pending, text, parse],
  );

  // Outside system: the keyboard focus, when the element that had it is replaced.
  useEffect(() => {
    if (focusNext.current === "edit" && hidden) edit.current?.focus();
    else if (focusNext.current === "area" && !hidden) area.current?.focus();
    else return;
    focusNext.current = null;
  }, [hidden]);

  return (
    <>
      <div className="mb-1 flex items-end gap-2">
        {hidden ? (
          <span className="flex-1 font-medium">
            Configuration <span className="font-normal text-mute text-xs">secrets hidden</span>
          </span>
        ) : (
          <label htmlFor={id} className="flex-1 font-medium">
            Configuration
          </label>
        )}
        {hidden && (
          <Button
            ref={edit}
            onClick={() => {
              focusNext.current = "area";
              setPasted(false);
            }}
          >
            Show and edit
          </Button>
        )}
        <FileChoice
          accept=".json,.jsonc,.yaml,.yml,.toml,.txt,application/json"
          onText={(read) => {
            setPasted(true);
            onText(read);
          }}
        />
      </div>
      {hidden ? (
        <ScrollRegion
          label="Configuration without secrets"
          className="max-h-[60dvh] min-h-40 rounded-md border border-line bg-panel px-2.5 py-2"
        >
          <pre className="whitespace-pre font-mono text-xs leading-5">{pending ? "Reading…" : masked}</pre>
        </ScrollRegion>
      ) : (
        <Textarea
          ref={area}
          id={id}
          value={text}
          rows={18}
          spellCheck={false}
          autoComplete="off"
          invalid={parse.problems.length > 0}
          placeholder={PLACEHOLDER}
          aria-describedby={`${id}-hint`}
          className="max-h-[60dvh] resize-y whitespace-pre font-mono text-xs! leading-5"
          onPaste={() => {
            focusNext.current = "edit";
            setPasted(true);
          }}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </>
  );
}
