"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { Plug, Trash2 } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import { useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { readInput } from "@/app/_kit/form/draft-input";
import { PageActions } from "@/app/_kit/page-actions";
import { useDraft } from "@/app/_kit/use-draft";
import { client, trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/page-header";
import { permissionForToolset } from "@/lib/contract/access";
import type { Toolset } from "@/lib/contract/toolset";
import { TOOLSET_FORM } from "./toolset-fields";
import { ToolsetForm } from "./toolset-form";

/** `?tool=` and `?server=` add the tools that another page suggests. */
export function NewToolsetView() {
  const [{ tool, server }] = useQueryStates({ tool: parseAsString, server: parseAsString });
  const begun = { tools: tool === null ? [] : [tool], servers: server === null ? [] : [server] };
  const held = useDraft(() => ({ ...readInput(TOOLSET_FORM), ...begun }), { keptAs: "toolset.form" });
  return (
    <div className="flex h-full flex-col">
      <PageHeader title="New toolset" />
      <ToolsetForm held={held} editing={null} />
    </div>
  );
}

export function EditToolsetView({ name }: { name: string }) {
  const { data: toolset } = useSuspenseQuery(trpc.toolsets.get.queryOptions({ name }));
  const held = useDraft(() => readInput(TOOLSET_FORM, toolset), {
    keptAs: `toolset.form.edit.${name}`,
    base: String(toolset.lastEdit?.revision ?? ""),
  });
  return (
    <div className="flex h-full flex-col">
      <PageHeader
        title={toolset.title || toolset.name}
        actions={<ToolsetActions name={toolset.name} lastEdit={toolset.lastEdit} />}
      />
      <ToolsetForm
        held={held}
        editing={name}
        lastEdit={toolset.lastEdit}
        relaxed={permissionForToolset(toolset) === "administer"}
      />
    </div>
  );
}

function ToolsetActions({ name, lastEdit }: Pick<Toolset, "name" | "lastEdit">) {
  const router = useRouter();
  const [isDeleting, setDeleting] = useState(false);

  return (
    <>
      <PageActions
        actions={[
          { label: "Playground", needs: "run", href: `/playground?set=${encodeURIComponent(name)}` },
          { label: "Executions", href: `/executions?toolset=${encodeURIComponent(name)}` },
          { label: "Connect a client", icon: Plug, href: `/clients?toolset=${encodeURIComponent(name)}#connect` },
          { label: "Delete", icon: Trash2, needs: "edit", onSelect: () => setDeleting(true) },
        ]}
      />
      {isDeleting && (
        <ConfirmAction
          title={`Delete ${name}?`}
          description="Clients that use its address lose their tools. The tools themselves and recorded executions are kept."
          needs="edit"
          run={() => client.toolsets.delete.mutate({ name, revision: lastEdit?.revision })}
          stale={[trpc.toolsets.list, trpc.toolsets.get.queryKey({ name })]}
          done={`${name} deleted`}
          onDone={() => router.push("/toolsets")}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
