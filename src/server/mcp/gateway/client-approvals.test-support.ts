import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import type { TestServer } from "../../calls/approvals/approval.test-support";
import { type ClientApprovalPorts, createClientApprovals } from "../../calls/approvals/client-approvals";
import type { CallerApprovals } from "../../engine/approvals/approval-ports";

/** The SDKs of both generations, in the three revisions that have forms. */
export const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

export interface Form {
  message: string;
  requestedSchema: { properties: Record<string, unknown>; required: string[] };
}
type FormAnswer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };
/** @param signal aborts when the server withdraws the form */
export type AnswerForm = (form: Form, signal: AbortSignal) => FormAnswer | Promise<FormAnswer>;

export interface FormClient {
  call(tool: string, args: object, signal?: AbortSignal): Promise<{ text: string; isError: boolean }>;
  close(): Promise<void>;
}

/** The first revision with elicitation has forms only. */
const NO_MODES: Record<string, Record<string, never>> = {};
const FORMS: Record<string, Record<string, never>> = { form: {} };
const INFO = { name: "claude-code", version: "2.1" };

/** A real client. @param answer absent: it declares no forms */
export async function openFormClient(url: string, revision: Revision, answer?: AnswerForm): Promise<FormClient> {
  const capabilities = answer === undefined ? {} : { elicitation: revision === "2025-06-18" ? NO_MODES : FORMS };
  const toResult = (result: unknown) => {
    const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
    return { text: content[0]?.text ?? "", isError };
  };
  if (revision === "2025-11-25") {
    const client = new FirstClient(INFO, { capabilities });
    if (answer !== undefined) {
      client.setRequestHandler(
        ElicitRequestSchema,
        async ({ params }, { signal }) => await answer(params as never, signal),
      );
    }
    await client.connect(new FirstTransport(new URL(url)) as never);
    return {
      call: async (name, args, signal) =>
        toResult(await client.callTool({ name, arguments: { ...args } }, undefined, signal && { signal })),
      close: () => client.close(),
    };
  }
  const mode = revision === "2026-07-28" ? "auto" : "legacy";
  const versions = revision === "2026-07-28" ? {} : { supportedProtocolVersions: [revision] };
  const client = new Client(INFO, { versionNegotiation: { mode }, capabilities, ...versions });
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) =>
      answer(params as never, mcpReq.signal),
    );
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    call: async (name, args, signal) =>
      toResult(await client.callTool({ name, arguments: { ...args } }, signal && { signal })),
    close: () => client.close(),
  };
}

export const APPROVE: FormAnswer = { action: "accept", content: { decision: "Approve" } };

/** Answers that the test gives when it wants to. */
export function createHeldAnswer() {
  const forms: Form[] = [];
  const withdrawn: string[] = [];
  let give: (answer: FormAnswer) => void = () => {};
  const answer: AnswerForm = (form, signal) => {
    forms.push(form);
    signal.addEventListener("abort", () => void withdrawn.push(String(signal.reason)));
    return new Promise((resolve) => {
      give = resolve;
    });
  };
  return { answer, forms, withdrawn, give: (given: FormAnswer): void => give(given) };
}

/** The approvals of a test server for the callers of its gateway, and their entries in the audit log. */
export function openCallerApprovals(
  { approvalRequests: requests, approvals }: Pick<TestServer, "approvalRequests" | "approvals">,
  readRole: ClientApprovalPorts["readRole"] = () => "admin",
) {
  const entries: Parameters<ClientApprovalPorts["acting"]["audit"]["record"]>[0][] = [];
  const audit = {
    record: async (entry: (typeof entries)[number]) => {
      entries.push(entry);
    },
  };
  const acting = { audit, answered: <T>(work: () => Promise<T>): Promise<T> => work() };
  const opened: (string | null)[] = [];
  const created: CallerApprovals = createClientApprovals({ requests, approvals, acting, readRole });
  const port: CallerApprovals = {
    ...created,
    async open(...asked) {
      const message = await created.open(...asked);
      opened.push(message);
      return message;
    },
  };
  return { entries, port, /** What each caller was asked, null where it was not. */ opened };
}

export function buildPrincipal(more: Partial<Principal>): Principal {
  return { ...LOCAL_PRINCIPAL, origin: { door: "gateway", address: null }, ...more };
}
