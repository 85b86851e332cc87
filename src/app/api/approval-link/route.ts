import { z } from "zod";
import { getOrigin } from "@/server/features/accounts/access";
import { createContext } from "@/server/main/api/context";
import { currentContainer } from "@/server/main/current-container";
import { findAppError, toRefusalInit } from "@/server/platform/shared/app-error";

export const dynamic = "force-dynamic";

const inputSchema = z.strictObject({
  token: z.string().min(1).max(1_000),
  /** Absent: only looks at the call. */
  decision: z
    .strictObject({
      approved: z.boolean(),
      reason: z.string().trim().max(2_000).optional(),
      confirmed: z.boolean().optional(),
    })
    .optional(),
});

/** For the page that an approval link opens. The token comes in the body: it is no part of an address that a server sees. */
export async function POST(request: Request): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  // Counted by the address of the caller, who needs no account.
  const { actor, refusal } = await createContext({ headers: request.headers, counted: true, door: "rest" });
  if (refusal?.code === "TOO_MANY_REQUESTS") {
    return Response.json({ message: refusal.message }, toRefusalInit(refusal));
  }
  const input = inputSchema.safeParse(await request.json().catch(() => null));
  if (!input.success) return Response.json({ message: "This link is not valid" }, { status: 400, headers });
  const { approvalLinks, logger } = await currentContainer();
  const { token, decision } = input.data;
  // A token does not prove a user's sign-in.
  const userId = actor?.token === null ? actor.id : null;
  const visitor = { userId, origin: getOrigin(request.headers, "rest") };
  try {
    const body =
      decision === undefined
        ? await approvalLinks.view(token, visitor)
        : await approvalLinks.decide(token, decision, visitor);
    return Response.json(body, { headers });
  } catch (error) {
    const known = findAppError(error);
    if (known !== null) {
      const needsSignIn = known.code === "UNAUTHENTICATED";
      return Response.json({ message: known.message, needsSignIn }, toRefusalInit(known));
    }
    logger.error({ err: error }, "An approval link could not be answered");
    return Response.json(
      { message: "Something went wrong in the server; its log says what" },
      { status: 500, headers },
    );
  }
}
