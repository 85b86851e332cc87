import { currentContainer } from "@/server/main/current-container";

export const dynamic = "force-dynamic";

/** For `next dev`: server.mjs answers this path before Next sees it. */
export async function GET(request: Request): Promise<Response> {
  const { liveEndpoint } = await currentContainer();
  return await liveEndpoint.respond(request);
}
