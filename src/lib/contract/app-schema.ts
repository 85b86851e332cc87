import { z } from "zod";

/** Origins that an App may use, as sources of a content security policy. */
const appDomainsSchema = z.object({
  /** Domains for requests of its scripts. */
  connect: z.array(z.string()),
  /** For scripts, styles, images, fonts and media. */
  resource: z.array(z.string()),
  frame: z.array(z.string()),
  /** Domains for the base of relative addresses. */
  baseUri: z.array(z.string()),
});
export type AppDomains = z.infer<typeof appDomainsSchema>;

/** The App of a tool, as the console shows it: what its server gave for the `ui://` resource that the tool names. */
export const appDocumentSchema = z.object({
  uri: z.string(),
  server: z.string(),
  html: z.string(),
  domains: appDomainsSchema,
  ignoredDomains: z.array(z.string()).describe("Declared domains that are no origins, or too many"),
  permissions: z.array(z.string()).describe("Features of the browser that it asks for; none is granted"),
  tool: z.record(z.string(), z.unknown()).describe("The tool as its server lists it"),
});
export type AppDocument = z.infer<typeof appDocumentSchema>;
