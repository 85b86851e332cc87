import type { ModelConnection } from "../../engine/agent/chat-ports";
import type { FakeVendor } from "../fake-vendors/vendor-server.test-support";
import type { ChatClientOptions } from "../vendor-client";

/** A tool result as a vendor's request carries it. */
export interface SentResult {
  /** The id of the call it answers; null where the vendor's form has none. */
  callId: string | null;
  text: string;
  isError: boolean;
}

/** One chat client with its fake vendor, and how its requests are read. Bodies are the vendor's own. */
export interface SuiteSubject {
  title: string;
  /** How error messages name the vendor. */
  vendorName: string;
  startVendor(): Promise<FakeVendor>;
  createClient(options: ChatClientOptions): ModelConnection;
  /** The vendor takes images in tool results and from users. */
  takesImages: boolean;
  /** Whether arguments can come as broken JSON: never where the vendor parses them itself. */
  malformedArguments: "both" | "streaming" | "never";
  /** The vendor marks a failed result; otherwise its text begins with `Error:`. */
  marksErrors: boolean;
  /** False where `required` and a named tool cannot be asked for. */
  forcesTools: boolean;
  /** False where the vendor needs no key, such as a local server. */
  needsKey: boolean;
  /** False where the vendor has no word for a refusal. */
  refuses?: boolean;
  /** The vendor's words for a response that was cut off. */
  cutOffs: string[];
  /** The vendor reports tokens read from its cache. */
  countsCached: boolean;
  /** The names of properties that the vendor takes; absent: all. */
  propertyNames?: RegExp;
  /** The result of `listModels` for the fake's list, which has more than one page where the vendor pages. */
  listedModels: string[];
  // biome-ignore-start lint/suspicious/noExplicitAny: five vendors' bodies; each subject knows its own.
  toolNamesInRequest(body: any): string[];
  /** Parameter schemas by tool name (the alias). */
  schemasInRequest(body: any): Record<string, any>;
  /** Names and arguments of the calls in the history, in order, and their ids (null where the form has none). */
  callsInRequest(body: any): { callId: string | null; name: string; args: unknown }[];
  resultsInRequest(body: any): SentResult[];
  /** `"none"` also where the tools are left out; a named tool as `{ name }` (the alias). */
  toolChoiceInRequest(body: any): "auto" | "required" | "none" | { name: string };
  /** Returns the system message of a request. */
  systemInRequest(body: any): string;
  maxOutputTokensInRequest(body: any): number | undefined;
  // biome-ignore-end lint/suspicious/noExplicitAny: as above.
}
