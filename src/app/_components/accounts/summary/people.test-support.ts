import type { Principal } from "@/lib/contract/access";
import type { User } from "@/lib/contract/account";

export const OLIVIA: User = {
  id: "user_1",
  name: "Olivia",
  email: "olivia@example.org",
  role: "admin",
  disabledAt: null,
  createdAt: 1_790_000_000_000,
  lastSeenAt: 1_790_000_100_000,
};
export const VICTOR: User = { ...OLIVIA, id: "user_2", name: "Victor", email: "victor@example.org", role: "viewer" };

export const asPrincipal = ({ id, name, role }: User): Principal => ({ id, name, role, token: null });

/** The account fields of `system.info`. */
export function accountInfo(
  accounts: boolean,
  decidedBy: "environment" | "setting" | "address" = "environment",
  pending = false,
) {
  const signOn = { signOnName: null as string | null, signOnRoles: false, onlySignOn: false };
  return {
    accountMode: {
      accounts,
      decidedBy,
      pending,
      clientSignIn: accounts,
      maxTokenDays: null as number | null,
      ...signOn,
    },
  };
}
