import { createContext } from "@/server/api/context";
import { answerRest } from "@/server/api/rest/answer-rest";
import { currentContainer } from "@/server/composition/current-container";

export const dynamic = "force-dynamic";

async function answer(request: Request): Promise<Response> {
  const { logger, version } = await currentContainer();
  return answerRest(request, {
    createContext: ({ headers }) => createContext({ headers, counted: true, door: "rest" }),
    version,
    logger,
  });
}

export { answer as GET, answer as POST };
