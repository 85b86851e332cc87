import { currentContainer } from "@/server/main/current-container";
import { describeOwnClient } from "@/server/mcp/client/oauth/oauth-client-settings";

export const dynamic = "force-dynamic";

/** Authorization servers of MCP servers fetch it, and nothing in it is secret. */
export async function GET(): Promise<Response> {
  const { clientDocument } = await currentContainer();
  if (clientDocument === null) return new Response("Not found\n", { status: 404 });
  return Response.json(describeOwnClient(clientDocument), { headers: { "cache-control": "public, max-age=3600" } });
}
