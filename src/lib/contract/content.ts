/** One block of an MCP tool's result. Unknown types are kept and shown as JSON. */
export type ContentBlock =
  | { type: "text"; text: string; [key: string]: unknown }
  | { type: "image"; data: string; mimeType: string; [key: string]: unknown }
  | { type: "audio"; data: string; mimeType: string; [key: string]: unknown }
  | { type: "resource_link"; uri: string; name?: string; mimeType?: string; [key: string]: unknown }
  | { type: "resource"; resource: EmbeddedResource; [key: string]: unknown }
  | { type: string; [key: string]: unknown };

export interface EmbeddedResource {
  uri: string;
  mimeType?: string;
  text?: string;
  /** Encoded as base64. */
  blob?: string;
  [key: string]: unknown;
}

/** The unchanged result of an MCP tool; the `result` of its execution. */
export interface ToolCallResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
}
