import { z } from "zod";

/** The length of a document's text, compressed or not. */
const MAX_DOCUMENT_CHARS = 4_000_000;

const chars = (most: number) => `must be at most ${most} characters`;

/** The source of an OpenAPI document. */
export const apiDocumentSchema = z.discriminatedUnion(
  "from",
  [
    z.object({
      from: z.literal("url"),
      url: z
        .string("is required: the address of the document")
        .min(1, "is required: the address of the document")
        .max(8192),
    }),
    /** A file of the machine that Toolroom runs on, from where it was started. */
    z.object({ from: z.literal("file"), path: z.string().min(1, "is required: the path of the document").max(4096) }),
    /** In responses `text` is null, as it is where the stored text is kept. */
    z.object({
      from: z.literal("text"),
      text: z
        .string()
        .min(1, "is required: paste the document")
        .max(MAX_DOCUMENT_CHARS, `${chars(MAX_DOCUMENT_CHARS)}: use its address or file`)
        .nullable(),
    }),
  ],
  'is required: {"from": "url", "url": "https://…"}, {"from": "file", "path": "…"} or {"from": "text", "text": "…"}',
);
export type ApiDocumentSource = z.infer<typeof apiDocumentSchema>;

/** The operations that become tools: those with one of the tags or paths; all where both are empty. */
export const operationFilterSchema = z.object({
  tags: z
    .array(z.string().min(1, "must not be empty").max(200, chars(200)))
    .max(500, "must be at most 500 tags")
    .default([]),
  /** Patterns such as `/repos/*` or `GET /repos/*`. */
  paths: z
    .array(
      z
        .string()
        .max(1000, chars(1000))
        .regex(/^(?:[A-Za-z]+\s+)?[/*]/, "must be a path such as /pets/*, or GET /pets/*"),
    )
    .max(500, "must be at most 500 paths")
    .default([]),
});
export type OperationFilter = z.infer<typeof operationFilterSchema>;

/** The summary of a document, for the form. All texts are untrusted: they come from the document. */
export const apiOutlineSchema = z.object({
  title: z.string(),
  version: z.string(),
  openapi: z.string(),
  baseUrl: z.string().nullable().describe("The address of its first server; may be relative to the document's address"),
  operations: z.number().int(),
  tags: z.array(z.object({ name: z.string(), operations: z.number().int() })),
  security: z.array(z.string()).describe("The authentication schemes of the document: `header X-API-Key`"),
});
export type ApiOutline = z.infer<typeof apiOutlineSchema>;
