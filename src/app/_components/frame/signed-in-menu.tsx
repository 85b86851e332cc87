import { CircleUserRound, LogOut, UserRoundCog } from "lucide-react";
import { useRouter } from "next/navigation";
import { signOut } from "@/app/_components/accounts/sign-in/auth-requests";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { setSigningOut } from "@/app/_trpc/query-client";
import { usePrincipal } from "@/app/_ui/access";
import { Menu } from "@/app/_ui/menu";
import { useToast } from "@/app/_ui/toast";
import { toAddress } from "@/lib/base-path";

/** The signed-in user, with the actions for the account. */
export function SignedInMenu() {
  const router = useRouter();
  const toast = useToast();
  const { name, role } = usePrincipal();

  async function leave(): Promise<void> {
    setSigningOut(true);
    const answer = await signOut();
    if (!("refusal" in answer)) return window.location.assign(toAddress("/sign-in"));
    setSigningOut(false);
    toast({ title: `Couldn't sign out: ${answer.refusal.message}`, tone: "bad" });
  }

  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account: ${name}`}
          className="flex h-7 min-w-7 shrink-0 max-sm:size-10 items-center justify-center gap-1.5 rounded-md px-1.5 text-mute text-xs hover:bg-line hover:text-text"
        >
          <CircleUserRound size={15} />
          <span className="max-w-40 truncate max-xl:sr-only">{name}</span>
        </button>
      }
      label={
        <>
          <span className="block truncate font-medium text-text">
            <bdi>{name}</bdi>
          </span>
          {ROLE_LABELS[role]}
        </>
      }
      items={[
        { label: "Your account", icon: UserRoundCog, onSelect: () => router.push("/settings/account") },
        { label: "Sign out", icon: LogOut, onSelect: () => void leave() },
      ]}
    />
  );
}
