import { explainDenial } from "@/lib/contract/access";
import { getMessage } from "@/lib/get-message";
import { credentialOperations } from "@/server/features/servers/credential-operations";
import { serverOperations } from "@/server/features/servers/server-operations";
import { createContext } from "@/server/main/api/context";
import { performOperation } from "@/server/platform/api/perform-operation";

export const dynamic = "force-dynamic";

/** The address to which an authorization server returns the user. The server's error texts are untrusted, so the page shows them as plain text. */
export async function GET(request: Request): Promise<Response> {
  const { actor, refusal, ...context } = await createContext({
    headers: request.headers,
    counted: true,
    door: "console",
  });
  try {
    if (actor === null) throw refusal ?? new Error("you are not signed in");
    const params = new URL(request.url).searchParams;
    // A sign-in with the user's own account is known to that user's sessions alone.
    const isOwn = await context.services.credentials.startedSignIn(actor.id, params);
    if (!isOwn && explainDenial(actor, "edit") !== null) {
      throw new Error("it has expired, is already complete, or someone else started it");
    }
    const { noun, each } = isOwn ? credentialOperations : serverOperations;
    const asked = { ...context, actor };
    const ended = await performOperation(`${noun}.finishSignIn`, each.finishSignIn, asked, { params });
    const { path } = ended as { path: string };
    // Relative, since behind a proxy this process does not know its own address.
    return new Response(null, { status: 303, headers: { location: path } });
  } catch (error) {
    const reason = getMessage(error);
    const text = `The sign-in did not succeed: ${reason}\n\nClose this page and start again from the server's page.\n`;
    const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    return new Response(text, { status: 400, headers });
  }
}
