import { answerIcon } from "@/server/main/api/answer-icon";
import { createContext } from "@/server/main/api/context";

export const dynamic = "force-dynamic";

/** For images of the console, which a browser asks for with its cookie alone. */
export async function GET(request: Request): Promise<Response> {
  return answerIcon(request, await createContext({ headers: request.headers, door: "console" }));
}
