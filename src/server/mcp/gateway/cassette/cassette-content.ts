import type { Result, ServerCapabilities } from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ServedCassette } from "../../../engine/cassettes/cassette-ports";
import { CallArguments } from "../../../engine/executor/call-arguments";
import { type CatalogServer, getPeer, type ServedContent } from "../catalog/catalog-server";
import type { CatalogView } from "../catalog/catalog-view";
import type { GatewayCalls } from "../gateway-calls";

type ContentEntry = Record<string, unknown>;

/** The resources and prompts that were read while a cassette was recorded. */
export function serveCassetteContent(
  view: CatalogView,
  { content }: ServedCassette,
  calls: GatewayCalls,
): ServedContent {
  const resources = listOnce(
    content.calls.flatMap(({ kind, name }) => (kind === "resource" ? [{ uri: name, name }] : [])),
    "uri",
  );
  const prompts = listOnce(
    content.calls.flatMap(({ kind, name, args }) =>
      kind === "prompt" ? [{ name, arguments: Object.keys(args).map((key) => ({ name: key })) }] : [],
    ),
    "name",
  );
  const capabilities: ServerCapabilities = {
    ...(resources.length > 0 && { resources: {} }),
    ...(prompts.length > 0 && { prompts: {} }),
  };

  function serve(server: CatalogServer): void {
    const play = (kind: "resource" | "prompt", name: unknown, args: unknown, ctx: Parameters<typeof getPeer>[0]) =>
      calls.call(
        view,
        {
          ...getPeer(ctx, server),
          name: String(name),
          args: CallArguments.from(isPlainObject(args) ? args : undefined),
          content: kind,
        },
        ctx,
      );
    if (capabilities.resources !== undefined) {
      server.on("resources/list", async () => ({ resources }) as Result);
      server.on("resources/templates/list", async () => ({ resourceTemplates: [] }) as Result);
      server.on("resources/read", ({ uri }, ctx) => play("resource", uri, undefined, ctx));
    }
    if (capabilities.prompts !== undefined) {
      server.on("prompts/list", async () => ({ prompts }) as Result);
      server.on("prompts/get", ({ name, arguments: args }, ctx) => play("prompt", name, args, ctx));
    }
  }

  return {
    capabilities,
    serve,
    cacheOf: async () => ({ ttlMs: 0, cacheScope: "private" }),
    logLevelSet: async () => undefined,
  };
}

function listOnce(entries: readonly ContentEntry[], key: string): ContentEntry[] {
  return [...new Map(entries.map((entry) => [entry[key], entry])).values()];
}
