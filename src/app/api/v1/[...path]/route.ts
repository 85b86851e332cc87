import { createContext } from "@/server/main/api/context";
import { answerRest } from "@/server/main/api/rest/answer-rest";
import { currentContainer } from "@/server/main/current-container";

export const dynamic = "force-dynamic";

async function answer(request: Request): Promise<Response> {
  const { logger, version, access } = await currentContainer();
  return answerRest(request, {
    createContext: ({ headers }) => createContext({ headers, counted: true, door: "rest" }),
    readQuota: ({ headers }) => access.quota(headers),
    version,
    logger,
  });
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
