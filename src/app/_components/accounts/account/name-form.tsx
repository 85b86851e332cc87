"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { readProblems } from "@/app/_kit/problems";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import type { Person } from "@/lib/contract/account";

export function NameForm({ person }: { person: Person }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState(person.name);
  const rename = useAction(trpc.account.rename.mutationOptions(), {
    stale: [trpc.account.me.queryKey(), trpc.people.list.queryKey()],
    done: () => "Name saved",
    // The top bar's name comes with the page.
    onDone: () => router.refresh(),
  });
  const problems = rename.error === null ? [] : readProblems(rename.error).map(({ message }) => message);
  return (
    <form
      noValidate
      aria-label="Name"
      className="flex max-w-md flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!rename.isPending) rename.mutate({ name });
      }}
    >
      <AccountField
        label="Name"
        autoComplete="name"
        required
        maxLength={100}
        hint="Your calls are recorded under this name. Earlier calls keep the one they have."
        value={name}
        problems={problems}
        onChange={setName}
      />
      <Button type="submit" className="self-start" disabled={rename.isPending || name.trim() === person.name}>
        {rename.isPending ? "Saving…" : "Save name"}
      </Button>
    </form>
  );
}
