import { SingleSignOnButton } from "@/app/_components/accounts/sign-in/single-sign-on-button";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import type { Person } from "@/lib/contract/account";

export interface SingleSignOnCardProps {
  /** Of the identity provider. */
  name: string;
  person: Person;
  /** True when passwords are switched off. */
  only: boolean;
  /** Why connecting did not succeed. */
  problem: string | null;
}

/** Whether the person's identity at the provider is connected; connects it. */
export function SingleSignOnCard({ name, person, only, problem }: SingleSignOnCardProps) {
  const connected = person.signIn?.includes("sso") === true;
  return (
    <Card title="Single sign-on">
      <div className="flex flex-col items-start gap-3 px-3.5 py-3">
        {problem !== null && <Alert live tone="bad" title={problem} />}
        {connected ? (
          <p>
            <Badge tone="ok" className="mr-1">
              Connected
            </Badge>
            You can sign in with {name}. Such a session ends after a day.
          </p>
        ) : (
          <>
            <p>
              Connect your account at {name} to sign in with it.{" "}
              {only ? "Passwords are switched off." : "Your password keeps working."}
            </p>
            <SingleSignOnButton label={`Connect ${name}`} request={() => ({ connect: true })} />
          </>
        )}
      </div>
    </Card>
  );
}
