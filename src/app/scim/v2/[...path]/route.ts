import { currentContainer } from "@/server/main/current-container";

export const dynamic = "force-dynamic";

async function answer(request: Request): Promise<Response> {
  const { scim } = await currentContainer();
  return scim(request);
}

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
