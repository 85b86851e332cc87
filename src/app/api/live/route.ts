import { currentContainer } from "@/server/composition/current-container";

export const dynamic = "force-dynamic";

/** Only in development: server.mjs answers this path before Next sees it. */
export async function GET(request: Request): Promise<Response> {
  const { liveEndpoint } = await currentContainer();
  return liveEndpoint.respond(request);
}
