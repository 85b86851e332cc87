import { hasToken } from "@/lib/http-guard/request-headers";
import { answerAuditExport } from "@/server/main/api/answer-exports";
import { createContext } from "@/server/main/api/context";

export const dynamic = "force-dynamic";

export async function GET(request: Request): Promise<Response> {
  // A browser downloads a link, which has no header of the console but its cookie.
  const door = hasToken(request.headers) ? "api" : "console";
  return answerAuditExport(request, await createContext({ headers: request.headers, counted: true, door }));
}
