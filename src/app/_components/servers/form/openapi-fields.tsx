"use client";

import { useMutation } from "@tanstack/react-query";
import { useId, useRef } from "react";
import { FileChoice } from "@/app/_kit/file-choice";
import { describedBy, FieldProblems, FormField } from "@/app/_kit/form-field";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { CHECKBOX } from "@/app/_ui/checkbox";
import { Textarea } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import { permissionForServer } from "@/lib/contract/access";
import type { ApiDocumentSource, ApiOutline } from "@/lib/contract/api-document";
import { formatBytes, formatPlural } from "@/lib/format";
import { AuthFields } from "./auth-fields";
import { compressDocument, isCompressed } from "./compress-document";
import type { FormState } from "./form-state";
import { toggleTag } from "./openapi-draft";
import { SecretRows } from "./secret-rows";
import { settingsOf } from "./server-draft";
import { SettingField } from "./setting-field";
import { linesOf } from "./text-lines";

const SOURCES: readonly { value: ApiDocumentSource["from"]; label: string }[] = [
  { value: "url", label: "Address" },
  { value: "text", label: "Paste or upload" },
  { value: "file", label: "File on the server" },
];

/** An HTTP API: its document, its base URL, how to authenticate, and which operations become tools. */
export function OpenApiFields({ form, editing }: { form: FormState; editing: string | null }) {
  const trpc = useTRPC();
  const { draft, change } = form;
  const settings = settingsOf({ ...draft, transport: "openapi" });
  const source = documentKey(settings);
  const suggested = useRef("");
  const newestText = useRef("");
  const describe = useMutation(
    trpc.servers.describeDocument.mutationOptions({
      onSuccess: (outline, read) => {
        if (documentKey(read.settings) !== source) return;
        const base = toBaseUrl(outline, draft.documentFrom === "url" ? draft.documentUrl : null);
        if (base === null || (draft.url.trim() !== "" && draft.url !== suggested.current)) return;
        suggested.current = base;
        change({ url: base });
      },
    }),
  );
  const isCurrent = describe.variables !== undefined && documentKey(describe.variables.settings) === source;
  const isReading = describe.isPending && isCurrent;
  const outline = isCurrent ? describe.data : undefined;
  /** Long texts are replaced at once: on blur, the button would move away under the press that leaves the field. */
  async function take(text: string): Promise<string> {
    newestText.current = text;
    if (text !== draft.documentText) change({ documentText: text });
    const documentText = await compressDocument(text);
    if (documentText !== text && newestText.current === text) change({ documentText });
    return documentText;
  }
  async function read() {
    const documentText = await take(draft.documentText);
    const packed = settingsOf({ ...draft, documentText, transport: "openapi" });
    describe.mutate({ settings: packed, editing: editing ?? undefined });
  }
  return (
    <>
      <DocumentFields form={form} onText={(text) => void take(text)} />
      <div className="flex flex-col gap-2">
        <Button
          className="self-start"
          needs={permissionForServer(settings)}
          disabled={isReading}
          onClick={() => void read()}
        >
          {isReading ? "Reading…" : "Read document"}
        </Button>
        {isCurrent && describe.error !== null && <Alert tone="bad" title={describe.error.message} />}
        {outline !== undefined && <OutlineView outline={outline} />}
      </div>
      <SettingField
        form={form}
        part="url"
        label="Base URL"
        required
        mono
        inputMode="url"
        placeholder="https://api.example.com/v1"
        hint="Paths of operations are appended to it. Credentials are sent to its origin only."
      />
      <SecretRows form={form} list="headers" />
      <SecretRows form={form} list="query" />
      <AuthFields form={form} />
      <OperationFields form={form} outline={outline} />
      <OutputSchemas form={form} />
    </>
  );
}

/** What names a document: what was read of another one is not shown. */
const documentKey = (settings: unknown): string => JSON.stringify((settings as { document?: unknown }).document);

interface DocumentProps {
  form: FormState;
  onText: (text: string) => void;
}

function DocumentFields({ form, onText }: DocumentProps) {
  const { draft, change } = form;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex items-baseline gap-1.5 font-medium">
        OpenAPI document <span className="font-mono font-normal text-2xs text-faint">document</span>
      </p>
      <Segmented
        label="OpenAPI document"
        value={draft.documentFrom}
        options={SOURCES}
        onChange={(documentFrom) => change({ documentFrom })}
        className="self-start"
      />
      {draft.documentFrom === "url" && (
        <SettingField
          form={form}
          part="documentUrl"
          field="document.url"
          label="Document address"
          required
          mono
          inputMode="url"
          placeholder="https://api.example.com/openapi.json"
          hint="OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML. Read again every hour and on reconnect."
        />
      )}
      {draft.documentFrom === "file" && (
        <SettingField
          form={form}
          part="documentPath"
          field="document.path"
          label="Document path"
          required
          mono
          placeholder="apis/openapi.yaml"
          hint="On the machine that Toolroom runs on. Read again on reconnect."
        />
      )}
      {draft.documentFrom === "text" && <DocumentText form={form} onText={onText} />}
      <FieldProblems id="document" problems={form.problemsOf("document")} />
    </div>
  );
}

function DocumentText({ form, onText }: DocumentProps) {
  const id = useId();
  const { documentText, documentStored } = form.draft;
  const problems = form.problemsOf("document.text");
  const isLong = isCompressed(documentText);
  const hint = documentStored
    ? "A document is stored. Paste another one to replace it."
    : "OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML.";
  return (
    <FormField id={id} label="Document" dataKey="document.text" required hint={hint} problems={problems}>
      {isLong ? (
        <div className="flex items-center gap-2 text-mute text-xs">
          Document loaded ({formatBytes(documentText.length)} compressed)
          <Button id={id} data-field="document.text" aria-label="Remove document" onClick={() => onText("")}>
            Remove
          </Button>
        </div>
      ) : (
        <Textarea
          id={id}
          data-field="document.text"
          rows={6}
          value={documentText}
          invalid={problems.length > 0}
          spellCheck={false}
          autoCapitalize="off"
          className="max-h-96 font-mono text-xs!"
          placeholder={documentStored ? "Stored" : "openapi: 3.1.0"}
          aria-describedby={describedBy(id, { hint: true, problems })}
          onChange={({ target }) => onText(target.value)}
        />
      )}
      <div className="mt-1.5">
        <FileChoice accept=".json,.yaml,.yml,application/json,application/yaml" onText={onText} />
      </div>
    </FormField>
  );
}

function OutlineView({ outline }: { outline: ApiOutline }) {
  const { title, version, openapi, operations, security } = outline;
  return (
    <section aria-label="Document" className="rounded-lg border border-line bg-panel px-3 py-2">
      <p className="[overflow-wrap:anywhere]">
        <span className="font-medium">{title}</span> <span className="text-mute">{version}</span>
      </p>
      <p className="text-mute text-xs">
        OpenAPI {openapi} · {formatPlural(operations, "operation")}
      </p>
      {security.length > 0 && (
        <p className="mt-1 text-mute text-xs [overflow-wrap:anywhere]">Authentication: {security.join("; ")}</p>
      )}
    </section>
  );
}

function OperationFields({ form, outline }: { form: FormState; outline: ApiOutline | undefined }) {
  const { draft, change } = form;
  const chosen = linesOf(draft.operationTags);
  const known = outline?.tags ?? [];
  const unknown = chosen.filter((tag) => !known.some(({ name }) => name === tag));
  const tags = [...unknown.map((name) => ({ name, operations: 0 })), ...known];
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        Operations <span className="font-mono font-normal text-2xs text-faint">operations</span>
      </legend>
      {known.length > 0 ? (
        <fieldset aria-label="Tags" className="max-h-60 overflow-y-auto rounded-lg border border-line bg-panel">
          {tags.map(({ name, operations }) => (
            <label key={name} className="flex cursor-pointer items-center gap-1.5 px-2 py-0.5 hover:bg-rail">
              <input
                type="checkbox"
                className={CHECKBOX}
                checked={chosen.includes(name)}
                onChange={() => change({ operationTags: toggleTag(draft.operationTags, name) })}
              />
              <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
              <span className="ml-auto font-mono text-faint text-xs tabular-nums">{operations}</span>
            </label>
          ))}
        </fieldset>
      ) : (
        <SettingField
          form={form}
          part="operationTags"
          field="operations.tags"
          label="Tags"
          mono
          rows={2}
          hint="One per line."
        />
      )}
      <SettingField
        form={form}
        part="operationPaths"
        field="operations.paths"
        label="Paths"
        mono
        rows={2}
        placeholder="/pets/*"
        hint="One per line, such as /pets/* or GET /pets/*. An operation with one of the tags or paths becomes a tool; all do where nothing is chosen."
      />
    </fieldset>
  );
}

function OutputSchemas({ form }: { form: FormState }) {
  const { draft, change } = form;
  const id = useId();
  return (
    <div>
      <label className="flex items-center gap-1.5 font-medium">
        <input
          type="checkbox"
          className={CHECKBOX}
          data-field="outputSchemas"
          aria-describedby={`${id}-hint`}
          checked={draft.outputSchemas}
          onChange={({ target }) => change({ outputSchemas: target.checked })}
        />
        Output schemas <span className="font-mono font-normal text-2xs text-faint">outputSchemas</span>
      </label>
      <p id={`${id}-hint`} className="pl-7.5 text-mute text-xs">
        Lists the output schema of each tool. Some clients take seconds to compile the schemas of a large API.
      </p>
    </div>
  );
}

/** The address of the document's first server, which may be relative to the document. */
function toBaseUrl({ baseUrl }: ApiOutline, documentUrl: string | null): string | null {
  if (baseUrl === null) return null;
  const base = documentUrl !== null && URL.canParse(documentUrl) ? documentUrl : undefined;
  return URL.canParse(baseUrl, base) ? new URL(baseUrl, base).href : null;
}
