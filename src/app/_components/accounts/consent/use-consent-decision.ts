import { useState } from "react";
import { decideConsent } from "@/app/_components/accounts/sign-in/auth-requests";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { toAddress } from "@/lib/base-path";
import { explainDenial, type Role } from "@/lib/contract/access";
import { MCP_SCOPES, type McpScope } from "@/lib/contract/connected-client";

export const mayAllow = (role: Role, scope: McpScope): boolean =>
  explainDenial({ role, token: null }, MCP_SCOPES[scope]) === null;

/** Sends the user's decision and returns to the program. */
export function useConsentDecision() {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const hydrated = useHydrated();

  async function decide(accept: boolean, scopes: readonly McpScope[]): Promise<void> {
    setPending(true);
    setProblem(null);
    const answer = await decideConsent({ accept, scopes, oauth_query: window.location.search.slice(1) });
    if ("body" in answer) {
      const { url } = answer.body;
      // An address with another scheme opens a program, and leaves this page as it is.
      if (!/^https?:/i.test(url)) setSentTo(url);
      return window.location.assign(url.startsWith("/") ? toAddress(url) : url);
    }
    setProblem(answer.refusal.message);
    setPending(false);
  }

  return { decide, sentTo, pending, problem, disabled: !hydrated || pending };
}
