import { useId, useRef } from "react";
import { FileChoice } from "@/app/_kit/file-choice";
import { writeInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { splitLines } from "@/app/_kit/form/fields";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Textarea } from "@/app/_ui/field";
import type { ApiOutline } from "@/lib/contract/api-document";
import { permissionForServer } from "@/lib/contract/server-kind";
import { formatBytes, formatPlural } from "@/lib/format";
import type { KindFieldsProps, ServerFieldsProps } from "./advanced-fields";
import { compressDocument, isCompressed } from "./openapi-document";
import { RemoteFields } from "./remote-fields";
import { SERVER_FORM, type ServerDraft } from "./server-fields";

/** An HTTP API: its document, its base URL, how to authenticate, and which operations become tools. */
export function OpenApiFields({ form, editing }: KindFieldsProps) {
  const { draft, change } = form;
  const settings = writeInput(SERVER_FORM, draft);
  const source = documentKey(settings);
  const document = draft["document.text"];
  const withText = (value: string): Partial<ServerDraft> => ({ "document.text": { ...document, value } });
  const suggested = useRef("");
  const newestText = useRef("");
  const describe = useAction(trpc.servers.describeDocument, {
    stale: [],
    onDone: (outline, read) => {
      if (documentKey(read.settings) !== source) return;
      const base = toBaseUrl(outline, form.isShown("document.url") ? draft["document.url"] : null);
      if (base === null || (draft.url.trim() !== "" && draft.url !== suggested.current)) return;
      suggested.current = base;
      change({ url: base });
    },
  });
  const isCurrent = describe.variables !== undefined && documentKey(describe.variables.settings) === source;
  const isReading = describe.isPending && isCurrent;
  const outline = isCurrent ? describe.data : undefined;
  /** Long texts are replaced at once: on blur, the button would move away under the press that leaves the field. */
  async function take(text: string): Promise<string> {
    newestText.current = text;
    if (text !== document.value) change(withText(text));
    const packed = await compressDocument(text);
    if (packed !== text && newestText.current === text) change(withText(packed));
    return packed;
  }
  async function read() {
    const packed = document.value === null ? {} : withText(await take(document.value));
    describe.mutate({ settings: writeInput(SERVER_FORM, { ...draft, ...packed }), editing: editing ?? undefined });
  }
  return (
    <>
      <div className="flex flex-col gap-2">
        <Field form={form} at="document.from" />
        <Field form={form} at="document.url" />
        <Field form={form} at="document.path" />
        {form.isShown("document.text") && <DocumentText form={form} onText={(text) => void take(text)} />}
      </div>
      <div className="flex flex-col gap-2">
        <Button
          className="self-start"
          needs={permissionForServer(settings)}
          disabled={isReading}
          onClick={() => void read()}
        >
          {isReading ? "Reading…" : "Read document"}
        </Button>
        {isCurrent && describe.problem !== null && <Alert tone="bad" title={describe.problem} />}
        {outline !== undefined && <OutlineView outline={outline} />}
      </div>
      <RemoteFields {...{ form, editing }} />
      <OperationFields form={form} outline={outline} />
      <Field form={form} at="outputSchemas" />
    </>
  );
}

/** Identifies a document, so that the description of another one is not shown. */
const documentKey = (settings: unknown): string => JSON.stringify((settings as { document?: unknown }).document);

interface DocumentProps extends ServerFieldsProps {
  onText: (text: string) => void;
}

function DocumentText({ form, onText }: DocumentProps) {
  const id = useId();
  const { value, stored } = form.draft["document.text"];
  const typed = value ?? "";
  const problems = form.findProblems("document.text");
  const hint =
    stored === undefined
      ? "OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML."
      : "A document is stored. Paste another one to replace it.";
  return (
    <FormField id={id} label="Document" dataKey="document.text" required hint={hint} problems={problems}>
      {isCompressed(typed) ? (
        <div className="flex items-center gap-2 text-mute text-xs">
          Document loaded ({formatBytes(typed.length)} compressed)
          <Button id={id} data-field="document.text" aria-label="Remove document" onClick={() => onText("")}>
            Remove
          </Button>
        </div>
      ) : (
        <Textarea
          id={id}
          data-field="document.text"
          rows={6}
          value={typed}
          invalid={problems.length > 0}
          spellCheck={false}
          autoCapitalize="off"
          className="max-h-96 font-mono text-xs!"
          placeholder={stored === undefined ? "openapi: 3.1.0" : "Stored"}
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

function OperationFields({ form, outline }: ServerFieldsProps & { outline: ApiOutline | undefined }) {
  const chosen = splitLines(form.draft["operations.tags"]);
  const known = outline?.tags ?? [];
  const unknown = chosen.filter((tag) => !known.some(({ name }) => name === tag));
  const tags = [...unknown.map((name) => ({ name, operations: 0 })), ...known];
  function toggle(tag: string) {
    const next = chosen.includes(tag) ? chosen.filter((each) => each !== tag) : [...chosen, tag];
    form.change({ "operations.tags": next.join("\n") });
  }
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        Operations <span className="font-mono font-normal text-2xs text-faint">operations</span>
      </legend>
      {known.length > 0 ? (
        <fieldset aria-label="Tags" className="max-h-60 overflow-y-auto rounded-lg border border-line bg-panel">
          {tags.map(({ name, operations }) => (
            <label key={name} className="flex cursor-pointer items-center gap-1.5 px-2 py-0.5 hover:bg-rail">
              <Checkbox checked={chosen.includes(name)} onChange={() => toggle(name)} />
              <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
              <span className="ml-auto font-mono text-faint text-xs tabular-nums">{operations}</span>
            </label>
          ))}
        </fieldset>
      ) : (
        <Field form={form} at="operations.tags" />
      )}
      <Field form={form} at="operations.paths" />
    </fieldset>
  );
}

/** The address of the document's first server, which may be relative to the document. */
function toBaseUrl({ baseUrl }: ApiOutline, documentUrl: string | null): string | null {
  if (baseUrl === null) return null;
  const base = documentUrl !== null && URL.canParse(documentUrl) ? documentUrl : undefined;
  return URL.canParse(baseUrl, base) ? new URL(baseUrl, base).href : null;
}
