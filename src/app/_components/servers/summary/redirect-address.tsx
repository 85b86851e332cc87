import { CopyButton } from "@/app/_ui/copy-button";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { getConsoleAddress } from "@/lib/base-path";

/** The address that an application registered at an authorization server must redirect to. */
export function RedirectAddress() {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  const address = `${getConsoleAddress()}/oauth/callback`;
  return (
    <span className="inline-flex items-center gap-1">
      <code className="[overflow-wrap:anywhere]">{address}</code>
      <CopyButton text={address} label="Copy redirect address" />
    </span>
  );
}

/** Whether the message of a failed sign-in asks for the redirect address to be registered. */
export const namesRedirect = (problem: string | null): boolean => problem?.includes("/oauth/callback") === true;
