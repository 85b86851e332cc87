"use client";

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial, useHasAccounts } from "@/app/_ui/access";
import { NativeSelect } from "@/app/_ui/field";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";

/** Who answers for the tool. Without accounts there is one person, so it is not shown. */
export function OwnerSetting({ tool }: { tool: Pick<ToolSummary, "name" | "owner"> }) {
  return useHasAccounts() ? <OwnerSelect {...tool} /> : null;
}

function OwnerSelect({ name, owner }: Pick<ToolSummary, "name" | "owner">) {
  const trpc = useTRPC();
  const id = useId();
  const mayEdit = useDenial("edit") === null;
  const { data: people = [] } = useQuery({ ...trpc.people.directory.queryOptions(), enabled: mayEdit });
  const save = useAction(trpc.tools.setOwner.mutationOptions(), { stale: [trpc.tools.pathKey()] });
  const shown = save.isPending ? save.variables.ownerId : (owner?.id ?? null);
  const isListed = owner === null || people.some((person) => person.id === owner.id);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Owner
      </label>
      <NativeSelect
        id={id}
        needs="edit"
        value={shown ?? ""}
        disabled={save.isPending}
        onChange={({ target }) => save.mutate({ name, ownerId: target.value === "" ? null : target.value })}
        options={people.map((person) => [person.id, person.name])}
      >
        <option value="">No owner</option>
        {owner !== null && !isListed && <option value={owner.id}>{owner.name}</option>}
      </NativeSelect>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {save.error !== null && `Couldn't save the owner: ${save.error.message}`}
      </div>
    </div>
  );
}
