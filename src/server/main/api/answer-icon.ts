import { z } from "zod";
import { AppError, findAppError, toRefusalInit } from "../../platform/shared/app-error";
import { assertAllowed } from "../../platform/shared/audited-call";
import type { RequestContext } from "./context";

const querySchema = z.union([
  z.object({ tool: z.string().min(1).max(300), theme: z.enum(["light", "dark"]).default("light") }),
  z.object({ server: z.string().min(1).max(300), theme: z.enum(["light", "dark"]).default("light") }),
]);

/** An SVG that is opened as a page runs nothing and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** An icon for the console: `?tool=orders__find&theme=dark`. Rejects for internal errors only. */
export async function answerIcon(request: Request, context: RequestContext): Promise<Response> {
  try {
    const { actor, refusal, services } = context;
    if (actor === null) throw refusal ?? new AppError("UNAUTHENTICATED", "Sign in first");
    assertAllowed(actor, "read");
    const query = querySchema.safeParse(Object.fromEntries(new URL(request.url).searchParams));
    if (!query.success) throw new AppError("INVALID", "Name a tool or a server, and a theme: light or dark");
    const { theme } = query.data;
    const wanted =
      "tool" in query.data
        ? { of: "tool" as const, name: query.data.tool, theme }
        : { of: "server" as const, name: query.data.server, theme };
    const image = await services.icons.read(wanted, actor.id);
    // Browsers report a missing image as an error of the page, an empty one not.
    if (image === null)
      return new Response(null, { status: 204, headers: { "cache-control": "private, max-age=600" } });
    return new Response(image.bytes, {
      headers: {
        "content-type": image.type,
        "content-security-policy": POLICY,
        "cache-control": "private, max-age=86400",
      },
    });
  } catch (error) {
    const refusal = findAppError(error);
    if (refusal === null) throw error;
    const refused = Response.json({ error: { message: refusal.message } }, toRefusalInit(refusal));
    refused.headers.set("content-security-policy", POLICY);
    return refused;
  }
}
