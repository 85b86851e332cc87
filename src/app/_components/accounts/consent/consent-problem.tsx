import { AuthCard } from "@/app/_components/accounts/sign-in/auth-card";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";

const REASONS: Record<string, string> = {
  invalid_client:
    "This server does not know the program, or forgot it because it was not used. Remove the server in the program and add it again.",
  client_disabled: "The program was disabled on this server.",
  invalid_redirect: "The program asked for an answer at an address that it did not register.",
};

/** A request that cannot be answered to the program that sent it. */
export function ConsentProblem({ error }: { error: string | null }) {
  const known = error !== null && Object.hasOwn(REASONS, error) ? REASONS[error] : undefined;
  return (
    <AuthCard
      title="This sign-in can't continue"
      text={known ?? "The request is incomplete or has expired. Start again in the program that sent you here."}
    >
      <Link href="/" className={buttonClass({ size: "md" })}>
        Go to the console
      </Link>
    </AuthCard>
  );
}
