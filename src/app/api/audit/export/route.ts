import { answerAuditExport } from "@/server/api/answer-audit-export";
import { createContext } from "@/server/api/context";

export const dynamic = "force-dynamic";

export async function GET(request: Request): Promise<Response> {
  return answerAuditExport(request, await createContext({ headers: request.headers, counted: true, door: "console" }));
}
