import { currentContainer } from "@/server/main/current-container";

export const dynamic = "force-dynamic";

/** Any page may read the description of the sign-in, which is the same for everyone. */
const HEADERS = { "access-control-allow-origin": "*", "cache-control": "no-store" };

async function answer(request: Request): Promise<Response> {
  const { clientMetadata } = await currentContainer();
  const found = (await clientMetadata?.describe(new URL(request.url).pathname)) ?? null;
  // Plain: clients take other statuses for a server that they should sign in to.
  return found === null ? new Response("Not found\n", { status: 404 }) : Response.json(found, { headers: HEADERS });
}

function answerPreflight(): Response {
  const headers = { ...HEADERS, "access-control-allow-methods": "GET", "access-control-allow-headers": "*" };
  return new Response(null, { status: 204, headers });
}

export { answer as GET, answerPreflight as OPTIONS };
