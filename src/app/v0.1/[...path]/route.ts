import { answerRegistry } from "@/server/features/registry/answer-registry";
import { createContext } from "@/server/main/api/context";
import { currentContainer } from "@/server/main/current-container";
import { toRefusalInit } from "@/server/platform/shared/app-error";

export const dynamic = "force-dynamic";

async function answer(request: Request): Promise<Response> {
  const { actor: reader, refusal } = await createContext({ headers: request.headers, counted: true, door: "rest" });
  const { registry } = (await currentContainer()).services;
  if (refusal?.code === "TOO_MANY_REQUESTS") {
    return Response.json({ error: refusal.message }, toRefusalInit(refusal));
  }
  return await answerRegistry(request, { reader, refusal: refusal?.message ?? null, registry });
}

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
