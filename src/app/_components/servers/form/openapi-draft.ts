import type { ApiDocumentSource, OperationFilter } from "@/lib/contract/api-document";
import type { ServerSettings, ServerSettingsInput } from "@/lib/contract/server";
import { linesOf } from "./text-lines";

/** What stands in the form for an OpenAPI document. */
export interface OpenApiDraft {
  documentFrom: ApiDocumentSource["from"];
  documentUrl: string;
  documentPath: string;
  /** As it was pasted, or compressed where it is long. */
  documentText: string;
  /** The server holds a text, which is kept unless another one is pasted. */
  documentStored: boolean;
  tokenUrl: string;
  /** One per line. */
  operationTags: string;
  operationPaths: string;
  outputSchemas: boolean;
}

type ApiInput = Extract<ServerSettingsInput, { transport: "openapi" }>;
type ApiSettings = Extract<ServerSettings, { transport: "openapi" }>;

export const emptyOpenApiDraft = (): OpenApiDraft => ({
  documentFrom: "url",
  documentUrl: "",
  documentPath: "",
  documentText: "",
  documentStored: false,
  tokenUrl: "",
  operationTags: "",
  operationPaths: "",
  outputSchemas: true,
});

export function openApiDraftFrom({ document, operations, outputSchemas, auth }: ApiInput | ApiSettings): OpenApiDraft {
  return {
    documentFrom: document.from,
    documentUrl: document.from === "url" ? document.url : "",
    documentPath: document.from === "file" ? document.path : "",
    documentText: document.from === "text" ? (document.text ?? "") : "",
    documentStored: document.from === "text" && document.text === null,
    tokenUrl: auth?.type === "client_credentials" ? (auth.tokenUrl ?? "") : "",
    operationTags: (operations?.tags ?? []).join("\n"),
    operationPaths: (operations?.paths ?? []).join("\n"),
    outputSchemas: outputSchemas ?? true,
  };
}

export function documentOf(draft: OpenApiDraft): ApiDocumentSource {
  if (draft.documentFrom === "url") return { from: "url", url: draft.documentUrl.trim() };
  if (draft.documentFrom === "file") return { from: "file", path: draft.documentPath.trim() };
  return { from: "text", text: draft.documentText === "" && draft.documentStored ? null : draft.documentText };
}

export function operationsOf({ operationTags, operationPaths }: OpenApiDraft): OperationFilter | undefined {
  const [tags, paths] = [linesOf(operationTags), linesOf(operationPaths)];
  return tags.length + paths.length === 0 ? undefined : { tags, paths };
}

/** The tags with one of them added or removed. */
export function toggleTag(tags: string, tag: string): string {
  const lines = linesOf(tags);
  return (lines.includes(tag) ? lines.filter((line) => line !== tag) : [...lines, tag]).join("\n");
}

/** Enough to judge whether there is one: the check comes with every change, and the text may be megabytes. */
const CHECKED_CHARS = 1000;

/** Settings as the check gets them. */
export function toChecked(settings: ServerSettingsInput): ServerSettingsInput {
  if (settings.transport !== "openapi" || settings.document.from !== "text" || settings.document.text === null) {
    return settings;
  }
  return { ...settings, document: { from: "text", text: settings.document.text.slice(0, CHECKED_CHARS) } };
}
