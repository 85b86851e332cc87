import { currentContainer } from "@/server/main/current-container";

export const dynamic = "force-dynamic";

async function answer(request: Request): Promise<Response> {
  const { signInRequests } = await currentContainer();
  if (signInRequests !== null) return signInRequests(request);
  const message = "Accounts are switched off on this server";
  return Response.json({ error: { message } }, { status: 404, headers: { "cache-control": "no-store" } });
}

export { answer as GET, answer as POST };
