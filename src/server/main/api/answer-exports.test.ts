import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { type ExportChoice, exportExecutions } from "../../calls/executions/export-executions";
import { answerAuditExport, answerExecutionsExport } from "./answer-exports";
import type { RequestContext } from "./context";

const EMPTY = { items: [], nextCursor: null };

/** What a download asks of its context. */
function contextOf(token: object | null): RequestContext {
  return {
    actor: { ...LOCAL_PRINCIPAL, token },
    refusal: null,
    recheck: async () => true,
    onAccessChange: () => () => undefined,
    stopping: new AbortController().signal,
    services: {
      acting: { audit: { record: async () => undefined }, answered: (work: () => unknown) => work() },
      auditLog: {
        export: async (_actor: unknown, _filter: unknown, format: string) =>
          (async function* () {
            yield format === "csv" ? "seq,at\r\n" : "{}\n";
          })(),
      },
      executions: {
        export: (choice: ExportChoice) =>
          exportExecutions({ list: async () => EMPTY, getMany: async () => [] }, choice),
      },
    },
  } as unknown as RequestContext;
}

const DOWNLOADS = { executions: answerExecutionsExport, audit: answerAuditExport };

describe.each(Object.entries(DOWNLOADS))("the export of %s", (name, answer) => {
  const begin = async (format: string, token: object | null) => {
    const request = new Request(`http://localhost/api/${name}/export?format=${format}`);
    const bytes = new Uint8Array(await (await answer(request, contextOf(token))).arrayBuffer());
    return Buffer.from(bytes.slice(0, 3)).toString("hex");
  };

  it("begins with a byte order mark where a user saves it as CSV", async () => {
    expect(await begin("csv", null)).toBe("efbbbf");
  });

  it("has no mark in other formats, and none for a program with a token", async () => {
    expect(await begin("jsonl", null)).not.toBe("efbbbf");
    expect(await begin("csv", { scopes: ["manage"], tools: null, servers: null })).not.toBe("efbbbf");
  });
});
